// A step or a transition in the hand: what it is, who changed it, and every part of it open to change.

import { button, fill, h, icon } from "./dom.js";
import { durationOf, many, moment, spoken, spokenDuration } from "./words.js";

const FIELD_TYPES = ["string", "text", "number", "integer", "boolean", "date", "datetime", "email", "file", "choice"];
const NEW_TYPES = [["human", "A person's task"], ["action", "An action"], ["decision", "A decision"], ["wait", "A wait"], ["event", "Waiting for an event"], ["end", "An end"]];
const LINE_TYPES = ["sequence", "condition", "default", "error", "compensation", "data"];
const USUAL_ATTEMPTS = 3;
let counter = 0;

/** Return the card of a step. */
export function stepCard(step, context) {
  return new StepCard(step, context).element;
}

class StepCard {
  constructor(step, context) {
    this.step = step;
    this.context = context;
    this.lines = context.workflow.transitions.filter((one) => one.from === step.id);
    this.problem = h("p", { className: "card-problem", role: "alert", hidden: true });
    this.save = h("button", { type: "submit", className: "button is-main", disabled: true }, "Save");
    const form = h("form", { className: "card-form", onsubmit: (event) => { event.preventDefault(); this.#save(); }, oninput: () => this.#changed(), onchange: () => this.#changed() }, ...this.#fields(), this.#leads(), this.problem,
      context.isEditable ? h("div", { className: "card-save" }, this.save, h("button", { type: "button", className: "button is-plain", onclick: () => context.again() }, "Reset")) : null);
    if (!context.isEditable) for (const one of form.querySelectorAll("input, select, textarea, button")) one.disabled = true;
    const marker = h("span", { className: `kind-dot kind-${step.type}` });
    this.element = h("section", { className: "card", "aria-label": `Step ${step.name}` },
      h("header", { className: "card-head" }, marker, h("h3", { tabIndex: -1 }, step.name), h("span", { className: "quiet" }, spoken(step.type)), h("span", { className: "grow" }), button("close", "Close the step", context.close)),
      h("p", { className: "quiet mono card-id" }, step.id), this.#acts(), form, this.#findings(), this.#history());
  }

  #acts() {
    const { context, step } = this;
    const words = (name, text, act, className = "") => button(name, text, act, { quiet: false, className: `is-small ${className}` });
    if (!context.isEditable) return h("div", { className: "card-acts" }, words("chat", "Ask about this", () => context.ask(step)));
    return h("div", { className: "card-acts" },
      step.type === "end" ? null : words("plus", "Add after", () => context.add(step.id)),
      step.type === "end" ? null : words("connect", "Connect", () => context.connect(step.id)),
      words("chat", "Ask about this", () => context.ask(step)),
      words("trash", "Delete", () => context.remove({ step: step.id }), "is-bad"));
  }

  #fields() {
    const { step, context } = this;
    const roles = [...new Set(context.workflow.steps.map((one) => one.assignee).filter(Boolean))];
    const list = h("datalist", { id: `roles-${++counter}` }, ...roles.map((role) => h("option", { value: role })));
    this.name = input({ value: step.name, required: true, maxlength: 200 });
    this.assignee = input({ value: step.assignee ?? "", list: list.id, placeholder: "nobody yet", maxlength: 200 });
    this.timeout = input({ value: spokenDuration(step.timeout), placeholder: "none, or 2 days, 4 hours, …", maxlength: 60 });
    this.uses = input({ value: step.uses ?? "", placeholder: "a service, such as email.send", maxlength: 500, className: "mono" });
    const isDone = step.type === "action" || step.uses;
    const isWork = !["end", "fork", "join"].includes(step.type);
    return [labelled("Name", this.name), isWork && step.type !== "wait" ? [labelled("Owner", this.assignee), list] : null, isDone ? labelled("Calls", this.uses) : null,
      isWork ? labelled("Deadline", this.timeout) : null, isDone || step.retry ? this.#retry() : null, step.type === "human" || step.form ? this.#form() : null];
  }

  #retry() {
    const retry = this.step.retry;
    this.attempts = input({ type: "number", min: 1, max: 1000, value: attemptsOf(retry), placeholder: "1", "aria-label": "Attempts, the first included" });
    this.interval = input({ value: spokenDuration(retry?.interval), placeholder: "10 seconds", "aria-label": "Wait between attempts" });
    this.backoff = h("select", { "aria-label": "How the wait grows" }, ...["fixed", "linear", "exponential"].map((one) => h("option", { value: one, selected: one === (retry?.backoff ?? "fixed") }, one)));
    return h("fieldset", {}, h("legend", {}, "Retry"), h("div", { className: "card-row" }, this.attempts, h("span", { className: "quiet" }, "attempts, every"), this.interval, this.backoff));
  }

  #form() {
    this.rows = h("ul", { className: "form-rows" }, ...(this.step.form?.fields ?? []).map((one) => this.#row(one)));
    return h("fieldset", {}, h("legend", {}, "Form"), this.rows, button("plus", "Add a field", () => { const row = this.#row({ key: "", type: "string" }); this.rows.append(row); row.querySelector("input").focus(); }, { quiet: false, className: "is-small is-plain" }));
  }

  #row(field) {
    const types = FIELD_TYPES.includes(field.type) ? FIELD_TYPES : [field.type, ...FIELD_TYPES];
    const row = h("li", {}, input({ value: field.key, placeholder: "key", required: true, "aria-label": "Field", maxlength: 100 }),
      h("select", { "aria-label": "Type of the field" }, ...types.map((one) => h("option", { value: one, selected: one === field.type }, one))),
      h("label", { className: "tick" }, h("input", { type: "checkbox", checked: Boolean(field.required) }), "required"), button("close", "Remove the field", () => { row.remove(); this.#changed(); }));
    row.field = field;
    return row;
  }

  #leads() {
    if (!this.lines.length) return null;
    const named = new Map(this.context.workflow.steps.map((one) => [one.id, one.name]));
    this.conditions = new Map();
    return h("fieldset", {}, h("legend", {}, "Leads to"), h("ul", { className: "leads" }, ...this.lines.map((line) => {
      const isSaid = line.when?.text !== undefined || !line.when;
      const when = isSaid && ["condition", "sequence", undefined].includes(line.type) ? input({ value: line.when?.text ?? "", placeholder: this.lines.length > 1 ? "when …" : "always", "aria-label": `Condition for ${named.get(line.to)}`, maxlength: 500 }) : null;
      if (when) this.conditions.set(line, when);
      return h("li", {}, h("button", { type: "button", className: "lead-name", onclick: () => this.context.pick({ step: line.to }) }, "→ ", named.get(line.to)), when ?? h("span", { className: "quiet" }, line.when ? "by an expression" : line.type),
        this.context.isEditable ? button("close", `Disconnect ${named.get(line.to)}`, () => this.context.remove({ transition: line.id })) : null);
    })));
  }

  #findings() {
    const found = this.context.findings.filter((one) => one.steps.includes(this.step.id));
    if (!found.length) return null;
    return h("div", { className: "card-findings" }, ...found.map((one) => h("div", { className: `card-finding is-${one.severity}` }, h("p", {}, one.message),
      one.fix?.length && this.context.isEditable ? button("check", "Fix", () => this.context.fix(one.fix), { quiet: false, className: "is-small" }) : null)));
  }

  #history() {
    const names = [`'${this.step.name}'`, `"${this.step.name}"`, this.step.id];
    const told = this.context.versions.flatMap((one) => (one.summary ?? []).filter((line) => names.some((name) => line.includes(name))).map((line) => [one, line])).slice(0, 6);
    const first = this.context.versions.at(-1);
    return h("details", { className: "card-history" }, h("summary", {}, "Who changed it"), h("ul", { className: "changes" }, ...told.map(([one, line]) => h("li", {}, line, h("span", { className: "quiet" }, ` · ${author(one)}, ${moment(one.at)}, version ${one.version}`))),
      told.length ? null : h("li", {}, "As it was created", first ? h("span", { className: "quiet" }, ` · ${author(first)}, ${moment(first.at)}`) : null)));
  }

  #changed() {
    this.save.disabled = false;
    this.problem.hidden = true;
  }

  #refuse(words, at) {
    fill(this.problem, words);
    this.problem.hidden = false;
    at?.focus();
    return null;
  }

  async #save() {
    const edits = this.#edits();
    if (!edits) return;
    if (!edits.length) { this.save.disabled = true; return; }
    this.save.disabled = true;
    await this.context.edit(edits);
  }

  /** Return the edits that make the step what the card says; null where it says something impossible. */
  #edits() {
    const { step } = this;
    const edits = [];
    const is = (given) => given?.value.trim() ?? "";
    if (is(this.name) !== step.name) edits.push({ op: "rename_step", step: step.id, name: is(this.name) });
    if (this.assignee.isConnected && is(this.assignee) !== (step.assignee ?? "")) edits.push({ op: "set_assignee", step: step.id, assignee: is(this.assignee) || null });
    if (this.uses.isConnected && is(this.uses) !== (step.uses ?? "")) edits.push(is(this.uses) ? { op: "update_step", step: step.id, set: { uses: is(this.uses) } } : { op: "update_step", step: step.id, unset: ["uses"] });
    if (this.timeout.isConnected && is(this.timeout) !== spokenDuration(step.timeout)) {
      const timeout = is(this.timeout) ? durationOf(is(this.timeout)) : null;
      if (is(this.timeout) && !timeout) return this.#refuse("A deadline is written like “2 days”, “4 hours” or P2D.", this.timeout);
      edits.push({ op: "set_timeout", step: step.id, timeout });
    }
    const rest = [this.#retryEdits(), this.#formEdits(), this.#conditionEdits()];
    return rest.includes(null) ? null : [...edits, ...rest.flat()];
  }

  #retryEdits() {
    if (!this.attempts) return [];
    const { retry } = this.step;
    const attempts = this.attempts.value.trim();
    const interval = this.interval.value.trim();
    const isSame = attempts === attemptsOf(retry) && interval === spokenDuration(retry?.interval) && this.backoff.value === (retry?.backoff ?? "fixed");
    if (isSame) return [];
    if (!attempts) return retry ? [{ op: "set_retry", step: this.step.id, retry: null }] : [];
    const wait = interval ? durationOf(interval) : null;
    if (interval && !wait) return this.#refuse("The wait is written like “10 seconds” or “5 minutes”.", this.interval);
    const made = { ...retry, max_attempts: Number(attempts), backoff: this.backoff.value };
    if (wait) made.interval = wait;
    else delete made.interval;
    return [{ op: "set_retry", step: this.step.id, retry: made }];
  }

  #formEdits() {
    if (!this.rows) return [];
    const before = this.step.form?.fields ?? [];
    const fields = [...this.rows.children].map((row) => {
      const [key, type, required] = [row.querySelector("input").value.trim(), row.querySelector("select").value, row.querySelector("[type=checkbox]").checked];
      const made = { ...row.field, key, type };
      if (required) made.required = true;
      else delete made.required;
      return made;
    });
    const plain = (list) => JSON.stringify(list.map((one) => [one.key, one.type, Boolean(one.required)]));
    if (plain(fields) === plain(before)) return [];
    if (fields.some((one) => !one.key)) return this.#refuse("Each field of the form needs a key.", [...this.rows.querySelectorAll("input")].find((one) => !one.value.trim()));
    return [{ op: "set_form", step: this.step.id, form: fields.length ? { ...this.step.form, fields } : null }];
  }

  #conditionEdits() {
    return [...(this.conditions ?? [])].filter(([line, when]) => when.value.trim() !== (line.when?.text ?? "")).map(([line, when]) => conditionEdit(line, when.value.trim()));
  }
}

/** Return how often a step is tried, as its document says or leaves out. */
function attemptsOf(retry) { return retry ? String(retry.max_attempts ?? USUAL_ATTEMPTS) : ""; }

/** Return the edit that gives a transition another condition in words, or none. */
function conditionEdit(line, text) {
  return text ? { op: "update_transition", transition: line.id, set: { type: "condition", when: { text } } } : { op: "update_transition", transition: line.id, set: { type: "sequence" }, unset: ["when"] };
}

/** Return the card of a transition. */
export function lineCard(line, context) {
  const name = (id) => context.workflow.steps.find((one) => one.id === id)?.name ?? id;
  const when = input({ value: line.when?.text ?? "", placeholder: "always", maxlength: 500 });
  const type = h("select", {}, ...LINE_TYPES.map((one) => h("option", { value: one, selected: one === (line.type ?? "sequence") }, one)));
  const save = () => {
    const text = when.value.trim();
    const set = { type: text && type.value === "sequence" ? "condition" : type.value };
    if (text) set.when = { text };
    return context.edit([{ op: "update_transition", transition: line.id, set, ...(text || !line.when ? {} : { unset: ["when"] }) }]);
  };
  const insert = button("plus", "Put a step here", () => context.add(line.from, { between: [line.from, line.to] }), { quiet: false, className: "is-small" });
  return h("section", { className: "card", "aria-label": "Transition" },
    h("header", { className: "card-head" }, h("h3", { tabIndex: -1 }, `${name(line.from)} → ${name(line.to)}`), h("span", { className: "grow" }), button("close", "Close the transition", context.close)),
    h("p", { className: "quiet mono card-id" }, line.id),
    context.isEditable ? h("div", { className: "card-acts" }, insert, button("trash", "Disconnect", () => context.remove({ transition: line.id }), { quiet: false, className: "is-small is-bad" })) : null,
    h("form", { className: "card-form", onsubmit: (event) => { event.preventDefault(); save(); } }, labelled("When", when), labelled("Kind", type), context.isEditable ? h("div", { className: "card-save" }, h("button", { type: "submit", className: "button is-main" }, "Save")) : null));
}

/** Return the card for a step that is to be put behind another, or between two. */
export function newStepCard(after, context, { between = null } = {}) {
  const name = (id) => context.workflow.steps.find((one) => one.id === id)?.name ?? id;
  const title = input({ placeholder: "Legal review", required: true, maxlength: 200 });
  const type = h("select", {}, ...NEW_TYPES.map(([value, words]) => h("option", { value }, words)));
  const owner = input({ placeholder: "a role or a person", maxlength: 200 });
  const make = () => {
    const step = { name: title.value.trim(), type: type.value };
    if (owner.value.trim()) step.assignee = owner.value.trim();
    return context.edit([{ op: "insert_step", step, ...(between ? { between } : { after }) }]);
  };
  return h("section", { className: "card", "aria-label": "New step" },
    h("header", { className: "card-head" }, h("h3", { tabIndex: -1 }, between ? `A step between ${name(between[0])} and ${name(between[1])}` : `A step after ${name(after)}`), h("span", { className: "grow" }), button("close", "Give the new step up", context.close)),
    h("form", { className: "card-form", onsubmit: (event) => { event.preventDefault(); make(); } }, labelled("Name", title), labelled("What it is", type), labelled("Owner", owner),
      h("div", { className: "card-save" }, h("button", { type: "submit", className: "button is-main" }, "Add the step"))));
}

/** Return the card that asks where a step is to lead, for those who do not drag. */
export function connectCard(from, context) {
  const name = (id) => context.workflow.steps.find((one) => one.id === id)?.name ?? id;
  const to = h("select", {}, ...context.workflow.steps.filter((one) => one.id !== from).map((one) => h("option", { value: one.id }, one.name)));
  const when = input({ placeholder: "always", maxlength: 500 });
  return h("section", { className: "card", "aria-label": "New transition" },
    h("header", { className: "card-head" }, h("h3", { tabIndex: -1 }, `From ${name(from)} to`), h("span", { className: "grow" }), button("close", "Give the transition up", context.close)),
    h("form", { className: "card-form", onsubmit: (event) => { event.preventDefault(); context.edit([connection(from, to.value, when.value.trim())]); } }, labelled("Step", to), labelled("When", when),
      h("div", { className: "card-save" }, h("button", { type: "submit", className: "button is-main" }, "Connect"))));
}

/** Return the edit that connects two steps. */
export function connection(from, to, when = "") { return { op: "connect", from, to, ...(when ? { when: { text: when } } : {}) }; }

/** Return who made a version, in words. */
export function author({ author: by }) {
  if (by.agent) return `${spoken(by.agent)}${by.mode ? ` (${by.mode})` : ""}`;
  return by.user === "user" ? "by hand" : by.user;
}

function input(props) { return h("input", { type: "text", autocomplete: "off", spellcheck: "false", ...props }); }

function labelled(words, control) { return h("label", { className: "field" }, h("span", {}, words), control); }

/** Return the card of nothing in hand: what the workflow is. */
export function overview(workflow, context) {
  const triggers = context.item?.triggers ?? [];
  const roles = [...new Set(workflow.steps.map((one) => one.assignee).filter(Boolean))];
  return h("section", { className: "card is-overview", "aria-label": "About the workflow" }, workflow.description ? h("p", {}, workflow.description) : null,
    h("dl", { className: "facts" }, ...[["Steps", String(workflow.steps.length)], ["Starts", triggers.join("; ")], ["Roles", roles.join(", ")], ["Tags", (workflow.tags ?? []).join(", ")]].filter(([, value]) => value).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    h("p", { className: "quiet" }, icon("look"), " Pick a step to see and change it; drag from the dot below a step to connect it."));
}
