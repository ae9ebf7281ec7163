// The open workflow: its diagram, its versions, what can go wrong in it, and changes that wait for a word.

import { ask, askText, at, query } from "./api.js";
import { Catalogue } from "./catalogue.js";
import { Canvas, drawing } from "./diagram.js";
import { button, fill, h, icon } from "./dom.js";
import { findingList } from "./findings.js";
import { previewCard } from "./preview.js";
import { moment, many, spoken } from "./words.js";

export class WorkflowTab {
  title = "Workflow";

  constructor({ say, announce, looked }) {
    this.looked = looked;
    this.catalogue = new Catalogue({ open: (id) => this.#open(id) });
    this.say = say;
    this.announce = announce;
    this.id = null;
    this.known = new Map();
    this.element = h("div", { className: "workflow" });
  }

  /** Look at a workflow, its newest version unless a preview of another is shown. */
  look(id, preview = null) {
    if (id !== this.id) this.version = null;
    this.id = id;
    this.preview = preview;
  }

  /** Remember which workflows the conversation dealt with. */
  remember(touches) {
    for (const touch of touches) {
      if (touch.change === "deleted") this.known.delete(touch.id);
      else this.known.set(touch.id, touch.name);
    }
  }

  forget() {
    this.known.clear();
    this.id = null;
    this.version = null;
    this.preview = null;
  }

  async load() {
    if (!this.id) return this.#empty();
    const id = this.id;
    try {
      const [{ items }, analysis] = await Promise.all([ask(at("workflows", id, "versions")), ask(at("workflows", id, "analysis"))]);
      if (id !== this.id) return;
      this.versions = items;
      this.analysis = analysis;
      this.newest = analysis.workflow.version;
      this.#frame();
      await this.#show(this.version && this.version <= this.newest ? this.version : this.newest);
    } catch (error) {
      if (error.status === 404) { this.known.delete(id); this.id = null; return this.#empty("This workflow is gone."); }
      throw error;
    }
  }

  async #empty(words = "No workflow is open yet.") {
    const blank = h("div", { className: "blank" }, icon("flow"), h("p", {}, words), h("p", { className: "quiet" }, "Describe a process in the chat, or name one with #, and its diagram is drawn here."));
    fill(this.element, blank);
    const hasSome = await this.catalogue.load();
    if (this.id || !hasSome) return;
    blank.classList.add("is-short");
    fill(this.element, blank, this.catalogue.element);
  }

  #open(id) {
    this.look(id);
    this.looked();
    this.load().catch((error) => this.announce(error.message, true));
  }

  #frame() {
    const { workflow } = this.analysis;
    this.known.set(workflow.id, workflow.name);
    this.canvasBox = h("div", { className: "canvas", tabIndex: 0, role: "group", "aria-label": "Diagram" });
    this.canvas = new Canvas(this.canvasBox);
    this.about = h("div", { className: "version-about" });
    const pick = h("select", { "aria-label": "Workflow", onchange: () => this.#open(pick.value) },
      ...[...this.known].map(([id, name]) => h("option", { value: id, selected: id === workflow.id }, name)));
    const zoom = h("div", { className: "zoom" }, button("plus", "Larger", () => this.canvas.zoom(1.25)), h("button", { type: "button", className: "icon-button", "aria-label": "Smaller", title: "Smaller", onclick: () => this.canvas.zoom(0.8) }, "−"), h("button", { type: "button", className: "icon-button fit", "aria-label": "Fit the width", title: "Fit the width", onclick: () => this.canvas.fit() }, "Fit"));
    fill(this.element,
      h("div", { className: "workflow-head" }, h("div", { className: "workflow-name" }, this.known.size > 1 ? pick : h("h2", {}, workflow.name), h("span", { className: "quiet mono" }, workflow.id)), button("list", "All workflows", () => this.#open(null))),
      this.preview ? previewCard(this.preview, { decide: (word) => { this.preview = null; this.say(word); } }) : null,
      this.preview ? null : [this.#slider(), this.about], h("div", { className: "canvas-box" }, this.canvasBox, zoom), this.#findings());
    if (this.preview) this.element.querySelector(".preview").classList.add("is-open");
  }

  #slider() {
    this.slider = null;
    if (this.newest < 2) return null;
    const output = h("output", { for: "version" });
    this.slider = h("input", {
      type: "range", id: "version", min: 1, max: this.newest, value: this.newest, step: 1,
      oninput: () => this.#show(Number(this.slider.value)),
    });
    this.said = output;
    return h("div", { className: "slider" }, h("label", { for: "version" }, "Version"), this.slider, output);
  }

  async #show(version) {
    this.version = version === this.newest ? null : version;
    if (this.slider) {
      this.slider.value = version;
      this.slider.setAttribute("aria-valuetext", `Version ${version} of ${this.newest}`);
      this.said.textContent = `${version} of ${this.newest}`;
    }
    const asked = (this.asked = (this.asked ?? 0) + 1);
    const picture = await askText(at("workflows", this.id, "diagram") + query({ format: "svg", findings: version === this.newest, changes: true, version }), "image/svg+xml");
    if (asked !== this.asked) return;
    const made = drawing(picture);
    if (made) this.canvas.show(made);
    this.#mark();
    this.#tell(version);
  }

  /** Show on the diagram what the proposed change would take away or alter. */
  #mark() {
    const steps = this.preview?.diff?.steps;
    const marks = [...(steps?.removed ?? []).map((step) => [step.id, "is-leaving"]), ...(steps?.changed ?? []).map((step) => [step.id, "is-changing"])];
    for (const [id, mark] of marks) this.#step(id)?.classList.add(mark);
    if (this.preview?.action === "delete") for (const one of this.canvasBox.querySelectorAll("[data-step]")) one.classList.add("is-leaving");
  }

  #step(id) { return this.canvasBox.querySelector(`[data-step="${CSS.escape(id)}"]`); }

  #tell(version) {
    const record = this.versions.find((one) => one.version === version);
    if (!record) return;
    const isNewest = version === this.newest;
    const back = isNewest && version > 1 ? this.versions.find((one) => one.version === version - 1) : null;
    fill(this.about,
      h("div", { className: "version-line" }, h("strong", {}, spoken(record.action ?? "made")), h("span", { className: "quiet" }, moment(record.at)),
        h("span", { className: "grow" }),
        back ? button("undo", "Undo this change", () => this.#restore(version - 1), { quiet: false }) : null,
        isNewest ? null : button("undo", "Restore this version", () => this.#restore(version), { quiet: false })),
      record.summary?.length ? h("ul", { className: "changes" }, ...record.summary.slice(0, 8).map((line) => h("li", {}, line))) : null,
      record.summary?.length > 8 ? h("p", { className: "quiet" }, `and ${many(record.summary.length - 8, "more change")}`) : null);
  }

  async #restore(version) {
    await this.#change(at("workflows", this.id, "versions", String(version), "restore"), undefined, `Version ${version} is the newest again.`);
  }

  async #change(path, body, done) {
    try {
      await ask(path, { method: "POST", body, headers: { "If-Match": `"${this.newest}"` } });
      this.version = null;
      this.announce(done);
    } catch (error) {
      this.announce(error.message, true);
    }
    await this.load();
  }

  #findings() {
    return findingList(this.analysis.findings, {
      show: (finding) => this.#point(finding),
      dryRun: (edits) => ask(`${at("workflows", this.id, "edits")}?dry_run=true`, { method: "POST", body: { edits } }),
      apply: (edits) => this.#change(at("workflows", this.id, "edits"), { edits }, "The fix is applied."),
    });
  }

  #point(finding) {
    for (const one of this.canvasBox.querySelectorAll(".is-pointed")) one.classList.remove("is-pointed");
    const found = finding.steps.map((id) => this.#step(id)).filter(Boolean);
    for (const one of found) one.classList.add("is-pointed");
    found[0]?.scrollIntoView({ block: "center", inline: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  }
}
