// The open workflow: its graph, the step in the hand, its versions, what can go wrong in it, and changes that wait for a word.

import { ask, askText, at, query } from "./api.js";
import { drawing } from "./diagram.js";
import { button, fill, h, icon } from "./dom.js";
import { exportDialog } from "./exchange.js";
import { findingList } from "./findings.js";
import { Graph } from "./graph.js";
import { Play } from "./play.js";
import { previewCard } from "./preview.js";
import { author, connectCard, connection, lineCard, newStepCard, overview, stepCard } from "./step_card.js";
import { versionsDialog } from "./versions.js";
import { many, moment, spoken } from "./words.js";

const FOLD_ABOVE = 60;
const SHORT_LIST = 6;
const FIND_ABOVE = 8;

export class WorkflowTab {
  title = "Workflow";

  constructor({ say, announce, looked, hand, ask: talk, full, all }) {
    Object.assign(this, { say, announce, looked, hand, talk, full, all });
    this.id = null;
    this.known = new Map();
    this.folds = new Map();
    this.lanes = new Set();
    this.element = h("div", { className: "workflow" });
    this.graph = new Graph({ on: {
      pick: (part) => this.#pick(part), add: (id, place) => this.#add(id, place), connect: (from, to) => this.#connect(from, to),
      remove: (part) => this.#remove(part), fold: (id) => this.#fold(id), full: () => this.full(), play: () => this.play(),
    } });
    this.card = h("div", { className: "card-place", "aria-live": "polite" });
    this.parts = { head: h("div", { className: "workflow-head" }), version: h("div", {}), bar: h("div", {}), found: h("div", {}) };
    this.stage = h("div", { className: "stage" }, this.graph.element, h("div", { className: "beside" }, this.card, this.parts.found));
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Look at a workflow, its newest version unless a preview of another is shown. */
  look(id, preview = null) {
    if (id !== this.id) { this.version = null; this.graph.selected = null; this.#letGo(); }
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
    this.look(null);
  }

  async load() {
    if (!this.id) return this.#empty();
    const id = this.id;
    try {
      const [{ items }, analysis, workflow, publication] = await Promise.all([ask(at("workflows", id, "versions")), ask(at("workflows", id, "analysis")), ask(at("workflows", id)), ask(at("workflows", id, "publication"))]);
      if (id !== this.id) return;
      Object.assign(this, { versions: items, analysis, workflow, publication, newest: workflow.version });
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
    const { items } = await ask(`/api/v1/workflows${query({ limit: SHORT_LIST })}`);
    if (this.id || !items.length) return;
    blank.classList.add("is-short");
    fill(this.element, blank, h("ul", { className: "catalogue-list" }, ...items.map((one) => h("li", {}, h("button", { type: "button", onclick: () => this.#open(one.id) }, icon("flow"),
      h("span", { className: "catalogue-name" }, one.name), h("span", { className: "quiet catalogue-about" }, one.description || many(one.step_count, "step")))))),
    h("p", { className: "catalogue-more" }, button("list", "All workflows", () => this.all(), { quiet: false })));
  }

  #open(id) {
    this.look(id);
    this.looked();
    this.load().catch((error) => this.announce(error.message, true));
  }

  #frame() {
    const { workflow } = this;
    this.known.set(workflow.id, workflow.name);
    const pick = h("select", { "aria-label": "Workflow", onchange: () => this.#open(pick.value) },
      ...[...this.known].map(([id, name]) => h("option", { value: id, selected: id === workflow.id }, name)));
    const undo = button("undo", "Take the last change back (Ctrl Z)", () => this.hand.undo(this.workflow));
    undo.disabled = !this.hand.canUndo(workflow);
    this.about = h("div", { className: "version-about" });
    const { head, version, bar, found } = this.parts;
    // The drawing stays where it is: to lay it out again takes longer than all else.
    if (this.stage.parentElement !== this.element) fill(this.element, head, version, bar, this.stage);
    fill(head, button("back", h("span", {}, "Back", h("span", { className: "only-wide" }, " to the conversation")), () => this.full(), { quiet: false, className: "is-small only-full" }), h("h1", { className: "unseen only-full" }, workflow.name), h("div", { className: "workflow-name" }, this.known.size > 1 ? pick : null, h("h2", { className: this.known.size > 1 ? "unseen" : "" }, workflow.name), h("span", { className: "quiet mono" }, workflow.id), this.#published()),
        h("div", { className: "workflow-tools" }, undo, button("play", "Play a case (P)", () => this.play()), button("history", "Versions", () => this.openVersions()), button("share", "Export", () => this.openExport()), button("list", "All workflows", () => this.all())));
    if (this.preview) fill(version, previewCard(this.preview, { decide: (word) => { this.preview = null; this.say(word); } })).firstChild.classList.add("is-open");
    else fill(version, this.#slider(), this.about);
    fill(bar, this.#bar());
    fill(found, this.#findings());
  }

  /** Return whether the workflow is a draft, and what publishes it. */
  #published() {
    const { state, published } = this.publication;
    const words = { draft: "Draft", published: `Published: version ${published?.version}`, changed: `Draft; version ${published?.version} is published` }[state];
    const who = published ? `by ${published.published_by}, ${moment(published.published_at)}` : "Nobody has published it yet";
    return h("span", { className: "publication" }, h("span", { className: `tag is-${state}`, title: who }, words),
      state === "published" ? null : button("check", "Publish", () => this.#publish(), { quiet: false, className: "is-small is-plain" }));
  }

  async #publish() {
    try {
      const made = await ask(at("workflows", this.id, "publish"), { method: "POST", body: { version: this.newest } });
      this.announce(`Version ${made.version} is published. What you change from here is a draft.`);
      await this.load();
    } catch (error) {
      this.announce(error.message, true);
    }
  }

  /** Return what helps to find one's way in a large graph: a search, what is folded, who does what. */
  #bar() {
    const { steps } = this.workflow;
    const scopes = this.#scopes();
    const roles = [...new Set(steps.map((one) => one.assignee).filter(Boolean))];
    if (steps.length <= FIND_ABOVE && !scopes.length && roles.length < 2) return null;
    const list = h("datalist", { id: "steps-found" }, ...steps.map((one) => h("option", { value: one.name })));
    const find = h("input", { type: "search", placeholder: "Find a step", "aria-label": "Find a step", list: "steps-found", autocomplete: "off", onchange: () => this.#find(find.value), onkeydown: (event) => { if (event.key === "Enter") this.#find(find.value); } });
    const role = roles.length > 1 ? h("select", { "aria-label": "Show the steps of", onchange: () => this.graph.dim(role.value ? (id) => steps.find((one) => one.id === id)?.assignee === role.value : null) }, h("option", { value: "" }, "Everybody"), ...roles.map((one) => h("option", { value: one }, one))) : null;
    const isOpen = scopes.length && !this.#folded().size;
    const fold = scopes.length ? button(isOpen ? "fold" : "unfold", isOpen ? "Fold all" : "Open all", () => this.#foldAll(isOpen), { quiet: false, className: "is-small" }) : null;
    const lanes = roles.length > 1 ? h("button", { type: "button", className: "button is-small", "aria-pressed": String(this.lanes.has(this.id)), onclick: () => this.#inLanes(lanes) }, icon("lanes"), "Lanes by role") : null;
    return h("div", { className: "graph-bar" }, steps.length > FIND_ABOVE ? [find, list] : null, role, lanes, fold);
  }

  /** Draw the steps in lanes, one for each role, or as they follow. */
  #inLanes(toggle) {
    if (!this.lanes.delete(this.id)) this.lanes.add(this.id);
    toggle.setAttribute("aria-pressed", String(this.lanes.has(this.id)));
    this.#show(this.version ?? this.newest).then(() => {
      this.graph.fitOrStay();
      if (this.lanes.has(this.id) && !this.graph.picture.querySelector(".lane")) this.announce("It has one lane only: the roles share the same parts of it.");
    });
  }

  #find(words) {
    const wanted = words.trim().toLowerCase();
    if (!wanted) return;
    const among = this.workflow.steps;
    const found = among.find((one) => one.name.toLowerCase() === wanted || one.id === wanted) ?? among.find((one) => one.name.toLowerCase().includes(wanted));
    if (!found) { this.announce(`No step is called “${words}”.`); return; }
    this.#goTo(found.id);
  }

  /** Show a step, opening what it is folded into. */
  async #goTo(id) {
    const parents = new Map(this.workflow.steps.map((one) => [one.id, one.parent]));
    let isHidden = false;
    for (let parent = parents.get(id); parent; parent = parents.get(parent)) isHidden = this.#folded().delete(parent) || isHidden;
    if (isHidden) await this.#show(this.version ?? this.newest);
    this.graph.reveal(id);
    this.graph.select({ step: id });
  }

  #scopes() { return [...new Set(this.workflow.steps.map((one) => one.parent).filter(Boolean))]; }

  #folded() {
    if (!this.folds.has(this.id)) this.folds.set(this.id, new Set(this.workflow.steps.length > FOLD_ABOVE ? this.#scopes() : []));
    return this.folds.get(this.id);
  }

  #fold(id) {
    const folded = this.#folded();
    if (!folded.delete(id)) folded.add(id);
    this.#show(this.version ?? this.newest).then(() => this.graph.focusStep(id));
  }

  #foldAll(isFolded) {
    this.folds.set(this.id, new Set(isFolded ? this.#scopes() : []));
    fill(this.parts.bar, this.#bar());
    this.#show(this.version ?? this.newest).then(() => this.graph.fitOrStay());
  }

  #slider() {
    this.slider = null;
    if (this.newest < 2) return null;
    const output = h("output", { for: "version" });
    this.slider = h("input", {
      type: "range", id: "version", min: 1, max: this.newest, value: this.newest, step: 1,
      oninput: () => this.#show(Number(this.slider.value)).catch((error) => this.announce(error.message, true)),
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
    const isNewest = version === this.newest;
    const fold = this.#scopes().length ? [...this.#folded()].join(",") || "," : null;
    const [picture, shown] = await Promise.all([
      askText(at("workflows", this.id, "diagram") + query({ format: "svg", findings: isNewest, changes: true, version, fold, lanes: this.lanes.has(this.id) || null }), "image/svg+xml"),
      isNewest ? this.workflow : ask(at("workflows", this.id, "versions", String(version))).then(({ document }) => document),
    ]);
    if (asked !== this.asked) return;
    const made = drawing(picture);
    // Between reading a large drawing and laying it out, the page answers.
    await new Promise((done) => { setTimeout(done); });
    if (asked !== this.asked) return;
    this.shown = shown;
    if (made) {
      const isNews = this.drawn?.id === this.id && this.drawn.version !== version;
      const changed = isNews || this.drawn?.id !== this.id ? [...made.querySelectorAll(".halo")].map((one) => one.closest("[data-step]").dataset.step) : [];
      this.graph.show(made, this.id, { changed });
      this.drawn = { id: this.id, version };
    }
    this.#mark();
    this.#tell(version);
    this.#card();
  }

  /** Show on the diagram what the proposed change would take away or alter. */
  #mark() {
    const steps = this.preview?.diff?.steps;
    const marks = [...(steps?.removed ?? []).map((step) => [step.id, "is-leaving"]), ...(steps?.changed ?? []).map((step) => [step.id, "is-changing"])];
    for (const [id, mark] of marks) this.graph.step(id)?.classList.add(mark);
    if (this.preview?.action === "delete") for (const one of this.graph.port.querySelectorAll("[data-step]")) one.classList.add("is-leaving");
  }

  #tell(version) {
    const record = this.versions.find((one) => one.version === version);
    if (!record) return;
    const isNewest = version === this.newest;
    const isUndone = isNewest && version > 1;
    const lines = record.summary ?? [];
    fill(this.about,
      h("div", { className: "version-line" }, h("strong", {}, spoken(record.action ?? "made")), h("span", { className: "quiet" }, `${author(record)}, ${moment(record.at)}`),
        h("span", { className: "grow" }),
        isUndone ? button("undo", "Undo this change", () => this.hand.restore(this.workflow, version - 1), { quiet: false, className: "is-small" }) : null,
        isNewest ? null : button("undo", "Restore this version", () => this.hand.restore(this.workflow, version), { quiet: false, className: "is-small" })),
      lines.length ? h("ul", { className: "changes" }, ...lines.slice(0, 3).map((line) => h("li", {}, line))) : null,
      lines.length > 3 ? h("details", { className: "more-changes" }, h("summary", {}, `and ${many(lines.length - 3, "more change")}`), h("ul", { className: "changes" }, ...lines.slice(3).map((line) => h("li", {}, line)))) : null);
  }

  openVersions() { versionsDialog(this.workflow, this.versions, { hand: this.hand, show: (version) => this.#show(version) }); }

  openExport() { return exportDialog(this.workflow, { announce: this.announce }).catch((error) => this.announce(error.message, true)); }

  #findings() {
    return findingList(this.analysis, {
      show: (finding) => this.#point(finding),
      dryRun: (edits) => this.hand.preview(this.workflow, edits),
      apply: (edits) => this.hand.edit(this.workflow, edits),
    });
  }

  async #point(finding) {
    if (finding.steps.some((id) => !this.graph.boxes.has(id))) await this.#goTo(finding.steps[0]);
    this.graph.point(finding.steps);
    this.graph.element.scrollIntoView({ block: "nearest" });
  }

  // What is in the hand

  #context() {
    return {
      workflow: this.shown, versions: this.versions, findings: this.version ? [] : this.analysis.findings, isEditable: !this.version && !this.preview,
      edit: (edits) => this.#edit(edits), fix: (edits) => this.#edit(edits, { isFix: true }), add: (id, place) => this.#add(id, place), connect: (id) => this.#connect(id, null), remove: (part) => this.#remove(part),
      pick: (part) => (part.step ? this.#goTo(part.step) : this.graph.select(part)), again: () => this.#card(),
      close: () => { const step = this.graph.selected?.step; this.#letGo(); this.graph.select(null); if (step) this.graph.focusStep(step); },
      ask: (step) => this.talk(`About “${step.name}” (${step.id}) in ${this.id}: `),
    };
  }

  #pick() {
    this.#letGo();
    this.#card();
    // In the full window the card scrolls with the findings below it.
    this.card.parentElement.scrollTop = 0;
  }

  /** End what was begun in the card: a new step, a connection, a case that is played. */
  #letGo() {
    this.draft = null;
    this.playing?.end();
    this.playing = null;
  }

  /** Play a case through the newest version. */
  async play() {
    // Its buttons may be pressed before it is drawn.
    if (this.version || this.shown?.id !== this.id) await this.#show(this.newest);
    this.graph.select(null, { quietly: true });
    this.#letGo();
    this.playing = new Play({ graph: this.graph, close: () => { this.#letGo(); this.#card(); this.graph.port.focus(); } });
    this.draft = (context) => this.playing.drawn(context.workflow);
    this.#card();
    this.playing.element.querySelector("h3").focus({ preventScroll: true });
    this.card.scrollIntoView({ block: "nearest" });
  }

  #card({ isFocused = false } = {}) {
    const part = this.graph.selected;
    const context = this.#context();
    const step = part?.step && this.shown.steps.find((one) => one.id === part.step);
    const line = part?.transition && this.shown.transitions.find((one) => one.id === part.transition);
    const made = this.draft ? this.draft(context) : step ? stepCard(step, context) : line ? lineCard(line, context) : overview(this.shown, context);
    fill(this.card, made);
    this.card.closest(".stage")?.classList.toggle("has-card", !made.classList.contains("is-overview"));
    if (isFocused) (made.querySelector(".card-form input, .card-form select") ?? made.querySelector("h3"))?.focus();
    if (isFocused) made.scrollIntoView({ block: "nearest" });
  }

  #add(id, { between = null } = {}) {
    this.#letGo();
    this.draft = (context) => newStepCard(id, context, { between });
    this.#card({ isFocused: true });
  }

  #connect(from, to) {
    if (to) { this.#edit([connection(from, to)]); return; }
    this.#letGo();
    this.draft = (context) => connectCard(from, context);
    this.#card({ isFocused: true });
  }

  #remove(part) {
    this.graph.selected = null;
    this.#edit([part.step ? { op: "remove_step", step: part.step } : { op: "disconnect", transition: part.transition }]);
  }

  /** Make a change; what it added is in the hand then, unless it mends what is there already. */
  async #edit(edits, { isFix = false } = {}) {
    const isTyping = this.card.contains(document.activeElement);
    const kept = this.draft;
    const report = await this.hand.edit(this.workflow, edits);
    if (!report) { this.draft = kept; return; }
    await new Promise((done) => { setTimeout(done); });
    this.draft = null;
    const added = isFix ? null : report.diff?.steps?.added?.[0]?.id;
    if (added) this.graph.selected = { step: added };
    this.graph.select(this.graph.selected ?? null);
    if (added || isTyping) this.card.querySelector("h3")?.focus({ preventScroll: true });
    else this.graph.focusStep(this.graph.current);
  }

  #key(event) {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || event.shiftKey || event.target.matches("input, textarea")) return;
    event.preventDefault();
    this.hand.undo(this.workflow);
  }
}
