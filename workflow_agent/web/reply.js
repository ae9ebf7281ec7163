// One reply: who answered in which mode, what was called for it, the text, and what can be done with it.

import { ask, askText, at, query } from "./api.js";
import { drawing } from "./diagram.js";
import { button, fill, h, icon } from "./dom.js";
import { feedbackOf } from "./feedback.js";
import { markdown } from "./markdown.js";
import { previewCard } from "./preview.js";
import { lasting, moment, shortened, spoken } from "./words.js";

/** A drawing up to so many pixels high is shown whole, made smaller; a larger one could not be read. */
const LARGEST_WHOLE = 1000;
const CHANGES = { created: "Created", modified: "Changed", restored: "Restored", deleted: "Deleted", imported: "Imported" };

const ENDED = {
  length: "The answer was cut off: the model reached its limit.", cut: "The answer was cut off in the middle.",
  content_filter: "The provider's filter held back a part of the answer.", refusal: "The model refused to answer this.",
};

export class Reply {
  constructor(actions) {
    this.actions = actions;
    this.text = "";
    this.calls = new Map();
    this.head = h("div", { className: "reply-head" });
    this.tools = h("div", { className: "tools" });
    this.body = h("div", { className: "prose" });
    this.after = h("div", { className: "reply-after" });
    this.element = h("div", { className: "reply" }, this.head, this.tools, this.body, this.after);
  }

  /** Show a reply as it is stored. */
  static of(event, actions) {
    const reply = new Reply(actions);
    reply.finished({ ...event, agent: event.author, response: event.content });
    return reply;
  }

  /** Show that a run works on it. */
  started(run) {
    this.run = run;
    this.element.classList.add("is-live");
    this.#head({ agent: run.agent });
    if (!this.text) fill(this.body, h("span", { className: "thinking" }, h("i"), h("i"), h("i"), h("span", { className: "unseen" }, "Working on it")));
  }

  mode(mode) { this.#head({ agent: this.run?.agent, mode }); }

  called(call) {
    const line = h("li", { className: "tool is-open" }, h("span", { className: "dot" }), spoken(call.name), h("span", { className: "tool-args" }, summary(call.args)));
    this.calls.set(call.id, line);
    if (!this.tools.firstChild) this.tools.append(h("ul", { className: "tool-lines" }));
    this.tools.firstChild.append(line);
  }

  returned(result) {
    const line = this.calls.get(result.id);
    line?.classList.replace("is-open", result.outcome === "success" ? "is-good" : "is-bad");
    line?.append(h("span", { className: "tool-time" }, result.outcome === "success" ? lasting(result.duration_ms) : result.outcome));
  }

  said(text) {
    this.text += text;
    this.frame ??= requestAnimationFrame(() => { this.frame = null; this.#write(); this.actions.grew?.(); });
  }

  /** Show the reply as it came out. */
  finished(reply) {
    cancelAnimationFrame(this.frame);
    this.frame = null;
    this.reply = reply;
    this.text = reply.response;
    this.element.classList.remove("is-live");
    this.#head(reply);
    fill(this.tools, reply.tools_used?.length ? this.#toolFold(reply) : null);
    this.#write();
    this.#drawn(reply);
    fill(this.after, this.#doubts(reply), this.#touched(reply), reply.preview ? previewCard(reply.preview, { ...this.actions, isTold: true }) : this.#quickReplies(), this.#buttons());
  }

  /** Say how the proposal was decided, as far as the next reply shows it. */
  decided(next) {
    const { preview } = this.reply ?? {};
    if (next) this.element.querySelector(".quick")?.remove();
    const words = this.element.querySelector(".preview-past");
    if (!preview || !words || !next) return;
    const made = next.workflows_touched?.find((one) => one.id === preview.workflow_id && CHANGES[one.change]);
    words.textContent = made ? `Accepted: ${CHANGES[made.change].toLowerCase()}, version ${made.version}.` : "Not made.";
    words.classList.toggle("is-made", Boolean(made));
  }

  /** Say what the record does not bear out, and why an answer is not whole. */
  #doubts({ unconfirmed_claims: claims = [], finish_reason: reason, context }) {
    const why = ENDED[reason ?? context?.finish_reason];
    return [why ? h("div", { className: "note is-warning" }, icon("alert"), h("span", {}, why)) : null,
      claims.length ? h("div", { className: "note is-warning" }, icon("alert"), h("span", {}, "The record does not show this: ", claims.map((one) => `“${one}”`).join(", "), ". Look at the workflow before you rely on it.")) : null];
  }

  /** Offer the likely answers to a question that the reply ends with, or that only what it asks about follows. */
  #quickReplies() {
    const last = this.text.trim().split(/\n+/).findLast((line) => !/^\s*(?:\d+\.|[-*])\s/.test(line))?.trim() ?? "";
    if (!last.endsWith("?")) return null;
    const named = /\bwhich\b/i.test(last) ? [...this.body.querySelectorAll("li > strong:first-child, li > p > strong:first-child")].map((one) => one.textContent).slice(0, 5) : [];
    const words = named.length > 1 ? named : /\b(?:shall|should|may|can) i\b|want me to|would you like me/i.test(last) ? ["Yes, do it", "Show me first", "No"] : [];
    return words.length ? h("div", { className: "quick" }, ...words.map((one) => h("button", { type: "button", className: "button is-small", onclick: () => this.actions.decide(one) }, one))) : null;
  }

  /** Draw the workflow where its diagram's source stands in the reply; the source is folded below. */
  #drawn(reply) {
    const id = reply.workflows_touched?.at(-1)?.id;
    const source = [...this.body.querySelectorAll(".code")].find((one) => ["mermaid", "dot"].includes(one.querySelector(".code-head span").textContent));
    if (!id || !source) return;
    const place = h("div", { className: "drawn", role: "img", "aria-label": "Diagram", tabIndex: 0 });
    const fold = h("details", { className: "drawn-source" }, h("summary", {}, "Source"));
    source.replaceWith(place, fold);
    fold.append(source);
    askText(at("workflows", id, "diagram") + query({ format: "svg" }), "image/svg+xml").then((text) => { const made = drawing(text); if (made) fill(place, made); made?.classList.toggle("is-whole", Number(made.getAttribute("height")) <= LARGEST_WHOLE); this.actions.grew?.(); }).catch(() => { fold.open = true; });
  }

  /** Show why there was no reply, long after. */
  static lacking(run, problem, again, actions) {
    const reply = new Reply(actions);
    reply.#head({ agent: run.agent });
    reply.failed(problem, again, { isNews: false });
    return reply;
  }

  /** Show why there is no reply. */
  failed(problem, again, { isNews = true } = {}) {
    cancelAnimationFrame(this.frame);
    this.element.classList.remove("is-live");
    const isStopped = problem.code === "cancelled";
    if (!this.text) fill(this.body);
    const words = isStopped ? "Stopped. Nothing more was done." : problem.detail || problem.message || "The run did not finish.";
    const retry = again ? button("retry", "Try again", again, { quiet: false }) : null;
    fill(this.after, h("div", { className: isStopped ? "note" : "note is-bad", role: isStopped || !isNews ? null : "alert" }, icon(isStopped ? "stop" : "alert"), h("span", {}, words), retry));
  }

  /** Show what was decided about a change, or offer the choice. */
  settle(isLast) { this.element.classList.toggle("is-last", isLast); }

  #write() { fill(this.body, ...markdown(this.text)); }

  #head({ agent, mode, duration_ms: ms, at: time, model }) {
    const why = mode?.signals?.length ? `Why: ${mode.signals.slice(0, 6).join("; ")}` : null;
    fill(this.head, h("span", { className: "agent" }, spoken(agent ?? "assistant")),
      mode ? h("span", { className: `mode mode-${mode.name}`, title: why }, mode.name) : null,
      ms ? h("span", { className: "quiet", title: model ? `Answered by ${model}` : null }, lasting(ms)) : null,
      time ? h("time", { className: "quiet only-wide", datetime: time }, moment(time)) : null);
  }

  #toolFold(reply) {
    const names = reply.tools_used;
    const told = shortened(names.map(spoken).join(", "), 90);
    const inside = h("ul", { className: "tool-lines" });
    const fold = h("details", { className: "tool-fold" }, h("summary", {}, icon("chevron"), h("span", {}, told)), inside);
    fold.addEventListener("toggle", () => { if (fold.open && !inside.firstChild) this.#loadCalls(reply, inside); });
    return fold;
  }

  async #loadCalls(reply, list) {
    try {
      const { items } = await ask(at("conversations", this.actions.conversationId(), "turns", String(reply.turn), "iterations"));
      const args = new Map(items.flatMap((one) => one.messages).flatMap((message) => message.tool_calls ?? []).map((call) => [call.id, call.args]));
      const calls = items.flatMap((one) => one.tool_calls);
      fill(list, ...calls.map((call) => h("li", { className: `tool ${call.outcome === "success" ? "is-good" : "is-bad"}` }, h("span", { className: "dot" }), spoken(call.name),
        h("span", { className: "tool-args" }, summary(args.get(call.id))), h("span", { className: "tool-time" }, call.outcome === "success" ? lasting(call.duration_ms) : call.outcome))));
    } catch (error) {
      fill(list, h("li", { className: "tool" }, error.message));
    }
  }

  #touched(reply) {
    const shown = new Map();
    for (const touch of reply.workflows_touched ?? []) if (CHANGES[touch.change]) shown.set(touch.id, touch);
    if (!shown.size) return null;
    return h("div", { className: "touched" }, ...[...shown.values()].map((touch) => h("button", { type: "button", className: "touch", onclick: () => this.actions.openWorkflow(touch.id) },
      icon("flow"), h("span", {}, touch.name), h("span", { className: "quiet" }, `${CHANGES[touch.change]} · version ${touch.version}`))));
  }

  #buttons() {
    const { buttons, place } = feedbackOf(this.reply, this.actions);
    return [h("div", { className: "reply-buttons" },
      button("copy", "Copy the reply", () => navigator.clipboard?.writeText(this.text)),
      button("retry", "Ask again", () => this.actions.retry(this.reply.turn)),
      button("look", "How this reply was made", () => this.actions.inspect(this.reply.turn)), ...buttons), place];
  }
}

function summary(args) {
  if (!args || !Object.keys(args).length) return "";
  return shortened(Object.entries(args).map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join(", "), 120);
}
