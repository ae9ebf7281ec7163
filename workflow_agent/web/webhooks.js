// Which other programs are told of what happens here, on a page of their own: added, tried, removed.

import { ask, at } from "./api.js";
import { confirmed, windowed } from "./dialogs.js";
import { button, fill, h, icon } from "./dom.js";
import { newKey } from "./run.js";
import { ago, many } from "./words.js";

const EVENTS = [
  ["workflow.changed", "A workflow was changed or deleted"], ["workflow.published", "A version was published"],
  ["preview.waiting", "A change waits for somebody's word"], ["run.failed", "A message got no reply"],
];

export class Webhooks {
  constructor(element, { announce, openSide }) {
    Object.assign(this, { element, announce });
    this.add = button("plus", "Add a webhook", () => this.#add(), { quiet: false, className: "is-main" });
    this.list = h("ul", { className: "waiting-list" });
    this.told = h("div", { className: "webhooks-told", role: "status" });
    fill(element, h("header", { className: "library-head" }, button("menu", "Show the conversations", openSide, { className: "only-narrow" }), h("h1", { id: "webhooks-title", tabIndex: -1 }, "Webhooks"), h("span", { className: "grow" }), this.add), this.told, this.list);
  }

  async show() {
    await this.look();
    this.element.querySelector("h1").focus();
  }

  async look() {
    try {
      const { items, is_enabled: isEnabled, hosts } = await ask(at("webhooks"));
      this.hosts = hosts;
      this.add.disabled = !isEnabled;
      fill(this.told, isEnabled ? h("p", { className: "quiet" }, items.length ? many(items.length, "address", "addresses") : "Nobody is told of events yet. An address that you add gets a signed request whenever something happens from then on.") : notEnabled());
      fill(this.list, ...items.map((one) => h("li", {}, this.#card(one))));
    } catch (error) {
      fill(this.told, h("p", {}, error.message));
    }
  }

  #card({ id, url, events, created_at: since, waiting }) {
    const ended = h("p", { className: "webhook-ended", role: "status" });
    const names = new Map(EVENTS);
    return h("section", { className: "card webhook", "aria-label": url },
      h("div", { className: "webhook-url mono" }, url),
      h("ul", { className: "changes" }, ...(events.length === EVENTS.length ? ["Everything that happens"] : events.map((one) => names.get(one) ?? one)).map((words) => h("li", {}, words))),
      h("p", { className: "quiet waiting-asked" }, `Told since ${ago(since)}${waiting ? "" : "; it has taken all events"}`, waiting ? h("span", { className: "webhook-late" }, `; ${many(waiting, "event")} not taken yet, tried again`) : null),
      h("div", { className: "webhook-buttons" }, button("send", "Send a test", (event) => this.#test(id, event.currentTarget, ended), { quiet: false, className: "is-small" }), button("trash", "Remove", () => this.#remove(id, url), { quiet: false, className: "is-small is-plain is-bad" }), ended));
  }

  async #test(id, pressed, ended) {
    pressed.disabled = true;
    fill(ended, h("span", { className: "quiet" }, "Sending …"));
    try {
      const { is_taken: isTaken, problem, duration_ms: ms } = await ask(at("webhooks", id, "test"), { method: "POST" });
      fill(ended, icon(isTaken ? "check" : "cross"), isTaken ? `Taken in ${ms} ms` : `Not taken: ${problem}`);
      ended.classList.toggle("is-bad", !isTaken);
    } catch (error) {
      fill(ended, error.message);
    }
    pressed.disabled = false;
    pressed.focus();
  }

  async #remove(id, url) {
    if (!await confirmed({ title: "Remove this webhook?", about: `${url} is told of nothing any more, and its key is worth nothing.`, action: "Remove" })) return;
    try {
      await ask(at("webhooks", id), { method: "DELETE" });
    } catch (error) {
      this.announce(error.message, true);
    }
    await this.look();
    this.element.querySelector("h1").focus();
  }

  #add() {
    const url = h("input", { type: "url", id: "webhook-url", required: true, maxlength: 2000, autocomplete: "off", spellcheck: "false", placeholder: `https://${this.hosts.find((one) => one !== "*") ?? "example.org"}/events` });
    const ticks = EVENTS.map(([name, words]) => h("label", { className: "tick" }, h("input", { type: "checkbox", name, checked: true }), words));
    const problem = h("p", { className: "card-problem", role: "alert", hidden: true });
    const form = h("form", { onsubmit: async (event) => {
      event.preventDefault();
      const events = ticks.map((one) => one.firstChild).filter((one) => one.checked).map((one) => one.name);
      problem.hidden = events.length > 0;
      if (!events.length) { fill(problem, "Choose at least one kind of event."); return; }
      try {
        const made = await ask(at("webhooks"), { method: "POST", body: { url: url.value.trim(), events }, headers: { "Idempotency-Key": newKey() } });
        await this.look();
        this.#keyOf(made, body);
      } catch (error) {
        fill(problem, error.message);
        problem.hidden = false;
        url.focus();
      }
    } }, h("label", { for: "webhook-url" }, "Address"), url, h("p", { className: "quiet" }, this.hosts.includes("*") ? "Any host may be told." : `Hosts that may be told: ${this.hosts.join(", ") || "none; WORKFLOW_AGENT_WEBHOOK_HOSTS names them"}.`),
    h("fieldset", { className: "ticks" }, h("legend", {}, "Told when"), ...ticks), problem, h("div", { className: "dialog-buttons" }, h("button", { type: "submit", className: "button is-main" }, "Add")));
    const body = h("div", {}, form);
    this.box = windowed("Add a webhook", body);
    url.focus();
  }

  /** Show the key of a new webhook, which nobody can read again. */
  #keyOf({ key, url }, body) {
    const done = h("button", { type: "button", className: "button is-main", onclick: () => this.box.close() }, "I have kept it");
    const copy = button("copy", "Copy", () => navigator.clipboard?.writeText(key).then(() => this.announce("Copied."), () => this.announce("The browser does not allow copying here.", true)), { quiet: false });
    fill(body, h("p", {}, `${url} is told from now on. Its requests are signed with this key:`), h("code", { className: "code-line webhook-key" }, key),
      h("p", { className: "quiet" }, "It is shown only now. Who receives the events checks with it that they come from here."), h("div", { className: "dialog-buttons" }, copy, done));
    done.focus();
  }
}

function notEnabled() {
  return h("div", { className: "note" }, icon("alert"), h("span", {}, "This server sends no events. Whoever runs it sets a secret, and names the hosts that may be told:",
    h("code", { className: "code-line" }, "WORKFLOW_AGENT_WEBHOOK_SECRET=… WORKFLOW_AGENT_WEBHOOK_HOSTS=example.org workflow-agent serve")));
}
