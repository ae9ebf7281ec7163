// What became of documents and earlier results in a turn, and who decided it.

import { h } from "./dom.js";
import { count } from "./words.js";

const DONE = { include_full: "in full", summarize: "summarised", rag_extract: "in passages", exclude: "left out" };

/** Return who decided what goes into the window, and why; nothing where there was nothing to decide. */
export function planned({ planning }) {
  const by = {
    rule: "by rule", model: `by the model ${planning?.model}`, cache: `by the model ${planning?.model}, for the same question before`,
    fallback: `by rule, as the model ${planning?.model} failed (${planning?.failure})`,
  }[planning?.planned_by];
  if (!by) return null;
  return h("p", { className: "quiet planned" }, `Planned ${by}: ${planning.reason}.`, ...[...planning.corrections ?? [], ...planning.notes ?? []].map((note) => h("span", {}, `${note.charAt(0).toUpperCase()}${note.slice(1)}.`)));
}

/** Return a list of them, open where some went in; nothing where there were none. */
export function artifactsUsed({ artifacts_processed }) {
  const all = artifacts_processed ?? [];
  if (!all.length) return null;
  const taken = all.filter((one) => one.strategy !== "exclude").length;
  return h("details", { className: "used", open: taken > 0 }, h("summary", {}, "Documents and earlier results", h("span", { className: "quiet" }, `${taken} of ${count(all.length)} went in`)), h("ul", {}, ...all.map(artifact)));
}

function artifact(one) {
  const size = one.processed_size_chars === null || one.processed_size_chars === one.original_size_chars ? count(one.original_size_chars) : `${count(one.processed_size_chars)} of ${count(one.original_size_chars)}`;
  return h("li", {}, h("code", {}, one.source), h("span", { className: `strategy is-${one.strategy}` }, DONE[one.strategy] ?? one.strategy), h("span", { className: "quiet" }, `${one.rationale} · ${size} characters`));
}
