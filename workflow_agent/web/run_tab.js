// How a reply was made: each request to the model, its tool calls, and what it cost.

import { ask, at } from "./api.js";
import { fill, h } from "./dom.js";
import { costing, count, lasting, shortened, spoken } from "./words.js";

const MOST_CHARS = 20000;

export class RunTab {
  title = "Run";

  constructor({ conversationId }) {
    this.conversationId = conversationId;
    this.turn = null;
    this.element = h("div", { className: "run" });
  }

  look(turn) { this.turn = turn; }

  async load() {
    const id = this.conversationId();
    if (!id || !this.turn) {
      fill(this.element, h("div", { className: "blank" }, h("p", {}, "No reply yet."), h("p", { className: "quiet" }, "Each reply can be looked into: what was asked of the model, which tools it called, what they gave back.")));
      return;
    }
    const turn = this.turn;
    const [whole, { items }] = await Promise.all([ask(at("conversations", id, "turns", String(turn))), ask(at("conversations", id, "turns", String(turn), "iterations"))]);
    if (turn !== this.turn || id !== this.conversationId()) return;
    fill(this.element, this.#head(turn, whole.reply, whole.run), ...items.map(iteration));
  }

  #head(turn, reply, run) {
    const facts = reply ? [
      ["Agent", reply.author], ["Mode", `${reply.mode.name} (${reply.mode.source}, ${Math.round(reply.mode.confidence * 100)} %)`], ["Model", reply.model], ["Took", lasting(reply.duration_ms)],
      ["Tokens", `${count(reply.usage.input_tokens)} in, ${count(reply.usage.output_tokens)} out, ${reply.usage.requests} requests`],
      ["Cost", costing(reply)],
    ] : [["Status", run?.status ?? "unknown"], ["Error", run?.error?.message ?? ""]];
    const signals = reply?.mode.signals?.length ? h("details", {}, h("summary", {}, "Why this mode"), h("ul", { className: "signals" }, ...reply.mode.signals.map((signal) => h("li", {}, signal)))) : null;
    return h("section", { className: "run-head" }, h("h2", {}, `Turn ${turn}`), h("dl", { className: "facts" }, ...facts.filter(([, value]) => value).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, String(value))])), signals);
  }
}

function iteration(one) {
  const ms = one.completed_at ? new Date(one.completed_at) - new Date(one.started_at) : null;
  const outcomes = new Map(one.tool_calls.map((call) => [call.id, call]));
  return h("section", { className: "iteration" }, h("h3", {}, `Step ${one.number}`, h("span", { className: "quiet" }, lasting(ms))), ...one.messages.map((message) => part(message, outcomes)));
}

function part(message, outcomes) {
  if (message.tool_calls?.length) return [message.content ? text("assistant", message.content) : null, ...message.tool_calls.map((call) => folded(`Calls ${spoken(call.name)}`, json(call.args), outcomes.get(call.id)))];
  if (message.results?.length) return message.results.map((result) => folded(`${spoken(result.name)} gives`, json(result.content), { outcome: result.outcome }));
  return text(message.role, message.content);
}

function text(role, content) {
  return folded({ system: "Instructions", user: "Message", assistant: "Says" }[role] ?? spoken(role), content, null, shortened(content.replace(/\s+/g, " "), 80));
}

function folded(title, content, call, about = "") {
  const outcome = call ? h("span", { className: `quiet outcome ${call.outcome === "success" ? "" : "is-bad"}` }, call.outcome === "success" ? lasting(call.duration_ms) || "success" : call.outcome) : null;
  return h("details", { className: "part-fold" }, h("summary", {}, h("span", { className: "fold-title" }, title), h("span", { className: "quiet fold-about" }, about), outcome), h("pre", { tabIndex: 0 }, shortened(String(content), MOST_CHARS)));
}

function json(value) { return typeof value === "string" ? value : JSON.stringify(value, null, 2); }
