// Workflows in and out: read from another tool's document with its losses shown first, written in each format, drawn as a picture.

import { ask, askText, at, query } from "./api.js";
import { windowed } from "./dialogs.js";
import { afterPause, button, fill, h, icon } from "./dom.js";
import { newKey } from "./run.js";
import { many } from "./words.js";

const SCALE = 2;
const MOST_BYTES = 5_000_000;
const PICTURES = [["svg", "SVG picture"], ["png", "PNG picture"], ["mermaid", "Mermaid diagram"], ["dot", "Graphviz diagram"]];

/** Return the formats that there are. */
export const formats = async () => (await ask("/api/v1/formats")).items;

/** Open the window that takes workflows in; `text` may have been dropped already. */
export function importDialog({ announce, open }, text = "") {
  const area = h("textarea", { id: "import-text", rows: 7, spellcheck: "false", placeholder: "Paste a document, or drop a file here", "aria-label": "Document", maxlength: MOST_BYTES });
  area.value = text;
  const found = h("div", { className: "import-found", role: "status" });
  const keep = h("button", { type: "button", className: "button is-main", disabled: true }, "Import");
  const file = h("input", { type: "file", hidden: true, accept: ".json,.yaml,.yml,.xml,.bpmn,.txt,.mmd,.py,.md" });
  const choose = button("file", "Choose a file", () => file.click(), { quiet: false });
  const body = h("div", { className: "import" }, h("p", { className: "quiet" }, "Its format is told by its content. Nothing is kept before you say so."), area, found, h("div", { className: "dialog-buttons" }, choose, file, keep));
  const box = windowed("Import a workflow", body);
  let asked = 0;
  const look = async () => {
    const mine = ++asked;
    keep.disabled = true;
    if (!area.value.trim()) { fill(found); return; }
    try {
      const report = await ask("/api/v1/workflows/import?dry_run=true", { method: "POST", body: { text: area.value } });
      if (mine !== asked) return;
      fill(found, ...report.documents.map((one) => documentFound(one)));
      keep.disabled = false;
    } catch (error) {
      if (mine === asked) fill(found, h("p", { className: "note is-bad" }, icon("alert"), h("span", {}, error.message)));
    }
  };
  const read = async (given) => {
    if (given.size > MOST_BYTES) { fill(found, h("p", { className: "note is-bad" }, icon("alert"), h("span", {}, `${given.name} is larger than 5 MB.`))); return; }
    area.value = await given.text();
    await look();
  };
  area.addEventListener("input", afterPause(look, 250));
  file.addEventListener("change", () => { if (file.files[0]) read(file.files[0]); });
  body.addEventListener("dragover", (event) => { event.preventDefault(); body.classList.add("is-dropping"); });
  body.addEventListener("dragleave", () => body.classList.remove("is-dropping"));
  body.addEventListener("drop", (event) => { event.preventDefault(); body.classList.remove("is-dropping"); if (event.dataTransfer.files[0]) read(event.dataTransfer.files[0]); });
  keep.addEventListener("click", async () => {
    keep.disabled = true;
    try {
      const made = await ask("/api/v1/workflows/import", { method: "POST", body: { text: area.value }, headers: { "Idempotency-Key": newKey() } });
      box.close();
      announce(`${made.workflow.name} was imported from ${made.format}.`);
      open(made.workflow.id);
    } catch (error) {
      fill(found, h("p", { className: "note is-bad", role: "alert" }, icon("alert"), h("span", {}, error.message)));
    }
  });
  if (text) look();
  area.focus();
}

function documentFound({ document, format, workflow, report, problems }) {
  if (!workflow) return h("section", { className: "found is-bad" }, h("strong", {}, `Document ${document} is no workflow`), h("ul", { className: "changes" }, ...problems.slice(0, 5).map((one) => h("li", {}, one.message))));
  return h("section", { className: "found" }, h("div", { className: "found-head" }, icon("check"), h("strong", {}, workflow.name), h("span", { className: "count" }, format)), losses(report));
}

/** Return what a conversion cannot carry over, in words. */
function losses({ lost, kept }) {
  const told = (items) => h("ul", { className: "changes" }, ...items.slice(0, 40).map((one) => h("li", {}, h("span", { className: "mono" }, one.where), " ", one.what)));
  return [lost.length ? h("div", { className: "losses" }, h("p", {}, `${many(lost.length, "thing")} would be lost:`), told(lost)) : h("p", { className: "quiet" }, "Nothing is lost."),
    kept.length ? h("details", {}, h("summary", { className: "quiet" }, `${many(kept.length, "thing")} kept beside the model`), told(kept)) : null];
}

/** Open the window that writes a workflow in another format, or draws it. */
export async function exportDialog(workflow, { announce }) {
  const shown = h("pre", { className: "export-text", tabIndex: 0, "aria-label": "The document" });
  const report = h("div", { className: "export-report", role: "status" });
  const pick = h("select", { id: "export-format", "aria-label": "Format" });
  const copy = button("copy", "Copy", () => navigator.clipboard.writeText(current.text).then(() => announce("Copied."), () => announce("The browser does not allow copying here.", true)), { quiet: false });
  const save = button("take", "Download", () => download(), { quiet: false, className: "is-main" });
  let current = null;
  const body = h("div", { className: "export" }, pick, report, shown, h("div", { className: "dialog-buttons" }, copy, save));
  windowed(`Export ${workflow.name}`, body);
  const group = (label, entries) => h("optgroup", { label }, ...entries.map(([value, words]) => h("option", { value }, words)));
  async function look() {
    try {
      current = await written(workflow, pick.value);
      shown.textContent = current.text.slice(0, 60000);
      fill(report, current.report ? losses(current.report) : null);
      copy.hidden = current.kind === "png";
    } catch (error) {
      fill(report, h("p", { className: "note is-bad", role: "alert" }, icon("alert"), h("span", {}, error.message)));
    }
  }
  async function download() {
    const blob = current.kind === "png" ? await pngOf(current.text) : new Blob([current.text], { type: current.type });
    saved(blob, current.name);
  }
  fill(pick, group("Document", (await formats()).map((one) => [one.name, one.title])), group("Picture", PICTURES));
  pick.addEventListener("change", look);
  await look();
  pick.focus();
}

/** Return a workflow as a document or a picture: its text, its file's name and what was lost. */
export async function written(workflow, kind) {
  if (!PICTURES.some(([name]) => name === kind)) {
    const made = await ask(at("workflows", workflow.id, "export") + query({ format: kind }));
    return { text: made.text, name: made.file_name, type: made.media_type, report: made.report };
  }
  const format = kind === "png" ? "svg" : kind;
  const path = at("workflows", workflow.id, "diagram") + query({ format, collapse: "never" });
  const text = format === "svg" ? await askText(path, "image/svg+xml") : (await ask(path)).diagram;
  const name = `${workflow.id}.${{ mermaid: "mmd" }[kind] ?? kind}`;
  return { kind, text, name, type: format === "svg" ? "image/svg+xml" : "text/plain" };
}

/** Return a drawing as a PNG, in light colours on paper. */
async function pngOf(svg) {
  const light = svg.replace(/@media \(prefers-color-scheme:dark\)\{\.wf\{[^}]*\}\}/, "");
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(light)}`;
  await picture.decode();
  const canvas = h("canvas", { width: picture.naturalWidth * SCALE, height: picture.naturalHeight * SCALE });
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}

/** Put a file into the reader's downloads. */
export function saved(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
