// What the analysis found, the most severe first, each with its fix where there is a certain one.

import { button, fill, h } from "./dom.js";
import { many } from "./words.js";

const SAID = { error: "Error", warning: "Warning", info: "Note" };

/** Return the list of findings, and what was proved; a fix is shown before it is made. */
export function findingList({ findings, proof }, actions) {
  const head = h("h3", {}, "Findings ", h("span", { className: "count" }, String(findings.length)));
  if (!findings.length) return h("section", { className: "findings" }, head, proved(proof, actions), h("p", { className: "quiet" }, "Nothing can go wrong here that the analysis knows of."));
  return h("section", { className: "findings" }, head, proved(proof, actions), h("ul", {}, ...findings.map((finding) => item(finding, actions))));
}

/** Return what was proved, under which assumptions, and for each thing that does not hold the run that shows it. */
function proved(proof, actions) {
  const runs = proof.counterexamples.map((one) => button("look", one.path.length ? "Show the run" : "Show where", () => actions.show({ steps: [...one.path, ...one.left] }), { quiet: false, className: "is-plain", title: one.why }));
  const about = proof.assumptions.length ? h("details", {}, h("summary", {}, "What this takes for granted"), h("ul", {}, ...proof.assumptions.map((one) => h("li", {}, one)))) : null;
  return h("div", { className: `proof ${{ sound: "is-sound", "not sound": "is-unsound" }[proof.verdict] ?? "is-open"}` }, h("p", {}, proof.in_words), h("div", { className: "finding-buttons" }, ...runs), about);
}

function item(finding, actions) {
  const after = h("div", { className: "fix" });
  const buttons = h("div", { className: "finding-buttons" },
    finding.steps.length ? button("look", "Show where", () => actions.show(finding), { quiet: false, className: "is-plain" }) : null,
    finding.fix?.length ? button("check", "Apply fix", () => look(finding, after, actions), { quiet: false }) : null);
  return h("li", { className: `finding is-${finding.severity}` }, h("div", {}, h("span", { className: "severity" }, SAID[finding.severity] ?? finding.severity), h("p", {}, finding.message)), buttons, after);
}

async function look(finding, after, actions) {
  try {
    const report = await actions.dryRun(finding.fix);
    const apply = button("check", "Apply", () => actions.apply(finding.fix), { quiet: false, className: "is-main" });
    fill(after, h("p", { className: "quiet" }, `This makes ${many(report.changes.length, "change")}:`), h("ul", { className: "changes" }, ...report.changes.map((line) => h("li", {}, line))),
      h("div", { className: "preview-buttons" }, apply, button("cross", "Cancel", () => fill(after), { quiet: false })));
    apply.focus();
  } catch (error) {
    fill(after, h("p", { role: "alert" }, error.message));
  }
}
