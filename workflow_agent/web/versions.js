// The versions of a workflow: who made each, in which turn and with which words; two side by side; an old one made the newest again.

import { ask, askText, at, query } from "./api.js";
import { drawing } from "./diagram.js";
import { windowed } from "./dialogs.js";
import { button, fill, h } from "./dom.js";
import { Graph } from "./graph.js";
import { author } from "./step_card.js";
import { many, moment, spoken } from "./words.js";

// Two beside each other are seen whole while their names can be made out.
const WHOLE = 0.5;
const MARKS = { added: "is-added", removed: "is-leaving", changed: "is-changing" };
const TURN = /_([0-9]+)_[a-z0-9]+$/;

/** Open the list of versions, newest first. */
export function versionsDialog(workflow, versions, { hand, show }) {
  const body = h("div", { className: "versions" });
  const box = windowed(`Versions of ${workflow.name}`, body, { isWide: true });
  const compare = (from, to) => comparison(workflow, versions, from, to, body, list);
  function list() {
    fill(body, versions.length > 1 ? null : h("p", { className: "quiet" }, "There is one version so far. Each change makes another; none is ever lost."),
      h("ol", { className: "version-list" }, ...versions.map((one) => h("li", {}, h("span", { className: "version-number" }, String(one.version)),
        h("div", { className: "version-what" }, h("strong", {}, spoken(one.action)), h("span", { className: "quiet" }, ` ${author(one)}, ${moment(one.at)} `), turnOf(one, box),
          h("ul", { className: "changes" }, ...(one.summary ?? []).slice(0, 5).map((line) => h("li", {}, line))), one.summary?.length > 5 ? h("p", { className: "quiet" }, `and ${many(one.summary.length - 5, "more change")}`) : null),
        h("div", { className: "version-acts" }, button("look", "View", () => { box.close(); show(one.version); }, { quiet: false, className: "is-small is-plain" }),
          one.version > 1 ? button("panel", "What changed", () => compare(one.version - 1, one.version), { quiet: false, className: "is-small is-plain" }) : null,
          one.version === workflow.version ? null : button("undo", "Restore", async () => { box.close(); await hand.restore(workflow, one.version); }, { quiet: false, className: "is-small" }))))));
  }
  list();
}

/** Return the link to the turn that made a version, where one did. */
function turnOf({ author: by }, box) {
  if (!by.conversation_id) return null;
  const turn = TURN.exec(by.run_id ?? "")?.[1];
  return h("a", { href: `#/c/${encodeURIComponent(by.conversation_id)}`, onclick: () => box.close() }, turn && by.agent ? `turn ${turn}` : "its conversation");
}

async function comparison(workflow, versions, from, to, body, back) {
  const choice = (label, value, act) => h("select", { "aria-label": label, onchange: (event) => act(Number(event.target.value)) }, ...versions.map((one) => h("option", { value: one.version, selected: one.version === value }, `Version ${one.version}`)));
  const again = (a, b) => comparison(workflow, versions, a, b, body, back);
  const [left, right] = [new Graph({ label: `Version ${from}`, readable: WHOLE }), new Graph({ label: `Version ${to}`, readable: WHOLE })];
  const told = h("div", { className: "compared-words" });
  const legend = h("ul", { className: "compared-legend" }, ...Object.entries(MARKS).map(([words, mark]) => h("li", { className: mark }, spoken(words))));
  fill(body, h("div", { className: "compared-head" }, button("undo", "All versions", back, { quiet: false, className: "is-small is-plain" }), h("span", { className: "grow" }), legend),
    h("div", { className: "compared" }, h("section", {}, choice("Before", from, (value) => again(value, to)), left.element), h("section", {}, choice("After", to, (value) => again(from, value)), right.element)), told);
  try {
    const picture = (version) => askText(at("workflows", workflow.id, "diagram") + query({ format: "svg", version, collapse: "never" }), "image/svg+xml");
    const [before, after, report] = await Promise.all([picture(from), picture(to), ask(at("workflows", workflow.id, "diff") + query({ from, to }))]);
    const { added = [], removed = [], changed = [] } = report.diff.steps ?? {};
    shown(left, before, [[removed, MARKS.removed], [changed, MARKS.changed]]);
    shown(right, after, [[added, MARKS.added], [changed, MARKS.changed]]);
    // Where only one of them has what changed, the other shows what stands around it.
    besides(left, right);
    besides(right, left);
    fill(told, h("h3", {}, many(report.changes.length, "change")), report.changes.length ? h("ul", { className: "changes" }, ...report.changes.map((line) => h("li", {}, line))) : h("p", { className: "quiet" }, "These two are the same."));
  } catch (error) {
    fill(told, h("p", { role: "alert" }, error.message));
  }
}

/** Show in one graph, as large as the other, what stands around the changes that only the other has. */
function besides(graph, other) {
  const marked = (one) => [...one.port.querySelectorAll(Object.values(MARKS).map((mark) => `.step.${mark}`).join(", "))].map((step) => step.dataset.step);
  if (other.view.isFitted && graph.view.isFitted) return;
  const lines = marked(other).flatMap((id) => [...other.port.querySelectorAll(`[data-from="${CSS.escape(id)}"], [data-to="${CSS.escape(id)}"]`)]);
  const near = [...marked(graph), ...lines.flatMap((line) => [line.dataset.from, line.dataset.to])].find((id) => graph.boxes.has(id));
  if (!near || marked(graph).length) return;
  graph.view.k = other.view.isFitted ? graph.view.k : other.view.k;
  graph.centre(graph.boxes.get(near), { smoothly: false });
}

function shown(graph, text, marks) {
  graph.show(drawing(text), "compared", { changed: marks.flatMap(([steps]) => steps.map((one) => one.id)) });
  for (const [steps, mark] of marks) for (const one of steps) graph.step(one.id)?.classList.add(mark);
}
