// The server, as this page asks it. Every failure is a Problem with something to say.

const KEY = "workflow-agent-key";
const tags = new WeakMap();
let askForKey = async () => null;
let asking = null;

export class Problem extends Error {
  constructor(document, status) {
    super(document.detail || document.title || "The server did not answer as expected.");
    this.status = status;
    this.code = document.code || "";
    this.document = document;
  }
}

/** Set who asks for a key when the server wants one; it resolves to the key or null. */
export function onKeyNeeded(ask) { askForKey = ask; }

/** Return the reply to a request as data. */
export async function ask(path, { method = "GET", body, headers = {}, signal } = {}) {
  const answer = await send(path, { method, body, headers, signal });
  if (answer.status === 204) return null;
  const data = await answer.json();
  const tag = answer.headers.get("ETag");
  // A report on a change tells the state of the workflow in it.
  if (tag) for (const one of [data, data.workflow]) if (one) tags.set(one, tag);
  return data;
}

/** Return the header that lets a change pass only where a document is still as it was read. */
export function asRead(document) {
  // A list gives no ETags: the version alone then.
  return { "If-Match": tags.get(document) ?? `"${document.version}"` };
}

/** Return the reply to a request as text, as the kind that is asked for. */
export async function askText(path, accept) {
  return (await send(path, { headers: { Accept: accept } })).text();
}

/** Return the response to a request, once the server accepts it. */
export async function send(path, { method = "GET", body, headers = {}, signal } = {}) {
  const known = sessionStorage.getItem(KEY);
  const all = { ...headers };
  if (known) all.Authorization = `Bearer ${known}`;
  if (body !== undefined) all["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, { method, headers: all, signal, cache: "no-store", body: body === undefined ? undefined : JSON.stringify(body) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ detail: "The server cannot be reached. What you wrote is still here; try again.", code: "unreachable" }, 0);
  }
  if (answer.ok) return answer;
  const document = await answer.json().catch(() => ({ detail: `The server answered ${answer.status}.` }));
  if (answer.status === 401) return afterKey(known, () => send(path, { method, body, headers, signal }), document);
  throw new Problem(document, answer.status);
}

async function afterKey(known, again, document) {
  if (known === sessionStorage.getItem(KEY)) {
    asking ??= askForKey(known !== null).finally(() => { asking = null; });
    const key = await asking;
    if (!key) throw new Problem(document, 401);
    sessionStorage.setItem(KEY, key);
  }
  return again();
}

/** Yield the server-sent events of a response as {id, name, data}. */
export async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += value;
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const event = eventOf(rest.slice(0, end));
        rest = rest.slice(end + 2);
        if (event) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function eventOf(block) {
  const event = { id: "0", name: "message", data: "" };
  for (const line of block.split("\n")) {
    if (line.startsWith("id: ")) event.id = line.slice(4);
    else if (line.startsWith("event: ")) event.name = line.slice(7);
    else if (line.startsWith("data: ")) event.data += line.slice(6);
  }
  return event.data ? { ...event, data: JSON.parse(event.data) } : null;
}

/** Return an address under the native API, its parts encoded. */
export function at(...parts) {
  return "/api/v1/" + parts.map((part) => encodeURIComponent(part)).join("/");
}

/** Return a query string of what is given. */
export function query(values) {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return given.length ? `?${new URLSearchParams(given)}` : "";
}
