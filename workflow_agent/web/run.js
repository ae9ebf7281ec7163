// A run as it is followed: sent once, resumed where the line broke, stopped when asked.

import { ask, at, eventsOf, Problem, send } from "./api.js";
import { modelOf } from "./model_choice.js";

const MOST_TRIES = { sending: 3, following: 8 };

/** Return a key under which sending the same message again is the same turn. */
export function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class RunFollower {
  constructor(onEvent) {
    this.onEvent = onEvent;
    this.runId = null;
    this.lastId = "0";
  }

  /** Send a message and follow its run to the end; under the same key it is the same turn. */
  async start(body, key) {
    const model = modelOf();
    const headers = { "Idempotency-Key": key, ...model.headers };
    await this.#follow(() => (this.runId ? this.#resumed() : send("/api/v1/chat/stream", { method: "POST", body: { ...model.body, ...body }, headers, signal: this.signal })));
  }

  /** Follow a run that is under way, from its beginning; `skips` what the same stream tells of runs before it. */
  async attach(runId, { skips = false } = {}) {
    this.runId = runId;
    this.isSkipping = skips;
    await this.#follow(() => this.#resumed());
  }

  /** Stop looking; the run goes on. */
  leave() {
    this.hasLeft = true;
    this.abort?.abort();
  }

  /** Ask the server to stop the run. */
  async cancel() {
    this.isCancelled = Boolean(this.runId);
    // The stream is the first agent's run; whoever works now may be another's.
    for (const id of new Set([this.runId, this.workingId].filter(Boolean))) await ask(at("runs", id, "cancel"), { method: "POST" });
  }

  #most() { return this.runId ? MOST_TRIES.following : MOST_TRIES.sending; }

  #resumed() {
    return send(at("runs", this.runId, "stream"), { headers: { "Last-Event-ID": this.lastId }, signal: this.signal });
  }

  async #follow(open) {
    for (let tries = 0; !this.hasLeft; tries += 1) {
      this.abort = new AbortController();
      this.signal = this.abort.signal;
      try {
        const before = this.lastId;
        const response = await open().catch((error) => this.#withoutStream(error));
        if (!response || await this.#read(response)) return;
        if (this.lastId !== before) tries = 0;
      } catch (error) {
        if (this.hasLeft) return;
        const isLine = !(error instanceof Problem) || error.code === "unreachable";
        if (!isLine || tries >= this.#most()) throw error instanceof Problem ? error : lost();
      }
      if (tries >= this.#most()) throw lost();
      await new Promise((resolve) => { setTimeout(resolve, Math.min(250 * 2 ** tries, 4000)); });
    }
  }

  /** Tell what came of a run whose stream is gone, as after a new start of the server; null when that is the end. */
  async #withoutStream(error) {
    if (error.status !== 404 || !this.runId) throw error;
    const run = await ask(at("runs", this.workingId ?? this.runId), { signal: this.signal });
    if (run.status === "running" || run.status === "accepted") throw new Error("Another process works on it.");
    if (run.reply) this.onEvent("complete", run.reply);
    else this.onEvent("error", { code: run.status, detail: run.error?.message || "The server stopped in the middle of this reply." });
    return null;
  }

  /** Pass on the events of a response; says whether the run has ended. */
  async #read(response) {
    for await (const event of eventsOf(response)) {
      if (this.hasLeft) return true;
      this.lastId = event.id;
      if (event.name === "start" && event.data.run_id === this.runId) this.isSkipping = false;
      if (event.name === "start") {
        this.runId ??= event.data.run_id;
        this.workingId = event.data.run_id;
      }
      if (event.name === "shutdown") return false;
      if (this.isSkipping && event.name !== "complete" && event.name !== "error") continue;
      this.onEvent(event.name, event.data);
      if (event.name === "complete" || event.name === "error") return true;
    }
    return false;
  }
}

function lost() { return new Problem({ detail: "The connection was lost. Reload to see how it went on." }, 0); }
