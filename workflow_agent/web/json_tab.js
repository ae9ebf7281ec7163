// The raw documents, as the server has them: folded where they are deep, made only where they are opened.

import { ask, at } from "./api.js";
import { button, fill, h } from "./dom.js";
import { many, shortened } from "./words.js";

const MOST_PARTS = 200;

export class JsonTab {
  title = "JSON";

  constructor({ conversationId, workflowId, turn }) {
    this.sources = {
      workflow: { name: "Workflow", path: () => workflowId() && at("workflows", workflowId()) },
      reply: { name: "Turn", path: () => conversationId() && turn() && at("conversations", conversationId(), "turns", String(turn())) },
      conversation: { name: "Conversation", path: () => conversationId() && at("conversations", conversationId()) },
    };
    this.source = "workflow";
    this.tree = h("div", { className: "tree" });
    const pick = h("select", { "aria-label": "Document", onchange: () => { this.source = pick.value; this.load(); } }, ...Object.entries(this.sources).map(([key, { name }]) => h("option", { value: key }, name)));
    this.element = h("div", { className: "json" }, h("div", { className: "json-head" }, pick, h("span", { className: "grow" }), button("copy", "Copy", () => navigator.clipboard?.writeText(this.raw ?? ""), { quiet: false })), this.tree);
  }

  async load() {
    const path = this.sources[this.source].path();
    if (!path) { fill(this.tree, h("p", { className: "nothing" }, "There is none yet.")); return; }
    try {
      const document = await ask(path);
      this.raw = JSON.stringify(document, null, 2);
      fill(this.tree, node(null, document, 0));
    } catch (error) {
      fill(this.tree, h("p", { className: "nothing" }, error.message));
    }
  }
}

function node(key, value, depth) {
  const label = key === null ? null : h("span", { className: "key" }, typeof key === "number" ? String(key) : key, ": ");
  if (value === null || typeof value !== "object") return h("div", { className: "leaf" }, label, leaf(value));
  const entries = Array.isArray(value) ? value.map((one, at_) => [at_, one]) : Object.entries(value);
  const sign = Array.isArray(value) ? "[ ]" : "{ }";
  if (!entries.length) return h("div", { className: "leaf" }, label, h("span", { className: "quiet" }, sign));
  const inside = h("div", { className: "inside" });
  const fold = h("details", {}, h("summary", {}, label, h("span", { className: "quiet" }, `${sign} ${many(entries.length, "entry", "entries")}`)), inside);
  const show = () => { if (fold.open && !inside.firstChild) grow(inside, entries, depth); };
  fold.addEventListener("toggle", show);
  fold.open = depth < 1;
  show();
  return fold;
}

function grow(inside, entries, depth, from = 0) {
  inside.append(...entries.slice(from, from + MOST_PARTS).map(([key, value]) => node(key, value, depth + 1)));
  if (entries.length <= from + MOST_PARTS) return;
  const more = h("button", { type: "button", className: "button", onclick: () => { more.remove(); grow(inside, entries, depth, from + MOST_PARTS); } }, `${entries.length - from - MOST_PARTS} more`);
  inside.append(more);
}

function leaf(value) {
  if (typeof value === "string") return h("span", { className: "text", title: value.length > 300 ? "Shortened; copy has all of it" : null }, `"${shortened(value, 300)}"`);
  return h("span", { className: "literal" }, String(value));
}
