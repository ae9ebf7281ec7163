// A case played through a workflow: its way on the graph, step by step, with times and who acts; what is not known is asked for.

import { ask, at } from "./api.js";
import { button, fill, h, icon, s } from "./dom.js";
import { durationOf, many, spanOf } from "./words.js";

const STEP_MS = 1100;
const MOVE_MS = 480;
const ASKED = { "which way it goes": "which way does it go?", "how often it goes round": "how often does it go round?", "whether it is done": "is it done?" };
const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const ENDED = { completed: "Completed", failed: "Ended badly", "timed out": "Out of time", waits: "Waits for ever", "too many steps": "Goes round and round", asks: "Not known yet" };

export class Play {
  /** `close` gives the place back. */
  constructor({ graph, close }) {
    Object.assign(this, { graph, close, answers: {}, times: {} });
    this.body = h("div", { className: "play" });
    this.element = h("section", { className: "card", "aria-label": "A case" },
      h("header", { className: "card-head" }, icon("play"), h("h3", { tabIndex: -1 }, "Play a case"), h("span", { className: "grow" }), button("close", "End the case", close)), this.body);
  }

  /** Take in the workflow as it is drawn now: a case that was played through another version is played again. */
  drawn(workflow) {
    const isNew = this.workflow?.version !== workflow.version;
    this.workflow = workflow;
    if (isNew) this.#ask();
    else this.#mark();
    return this.element;
  }

  /** Take all marks from the graph. */
  end() {
    clearTimeout(this.timer);
    this.hasEnded = true;
    this.#clear();
    this.graph.port.classList.remove("is-playing");
  }

  async #ask() {
    clearTimeout(this.timer);
    const before = this.report ? this.report.path.length : 0;
    const asked = this.asked = (this.asked ?? 0) + 1;
    try {
      const report = await ask(at("workflows", this.workflow.id, "simulate"), { method: "POST", body: { case: this.answers, times: this.times } });
      if (asked !== this.asked || this.hasEnded) return;
      this.report = report;
    } catch (error) {
      fill(this.body, h("p", { className: "card-problem", role: "alert" }, error.message));
      return;
    }
    this.#draw();
    // What was seen already is not played again.
    if (isStill()) this.#go(this.report.path.length - 1);
    else this.#run(Math.max(0, Math.min(before, this.report.path.length) - 1));
  }

  #draw() {
    const focused = this.body.contains(document.activeElement) ? document.activeElement : null;
    const { path, outcome, questions: [question], no_time_known: untimed } = this.report;
    this.rows = path.map((one, place) => h("li", {}, h("button", { type: "button", className: "play-step", onclick: () => this.#rest(place) },
      h("span", { className: "play-at" }, one.at_seconds ? `after ${spanOf(one.at_seconds)}` : "at once"), h("span", { className: "play-name" }, one.name, one.who ? h("span", { className: "quiet" }, ` ${one.who}`) : null),
      h("span", { className: "quiet" }, one.ended !== "done" ? one.ended : one.took_seconds ? `takes ${spanOf(one.took_seconds)}` : ""))));
    this.pause = button("play", "Play", () => (this.isRunning ? this.#rest(this.place) : this.#run(this.place === path.length - 1 ? 0 : this.place)), { quiet: false, className: "is-small" });
    this.now = h("p", { className: "quiet play-now", role: "status" });
    const last = path.at(-1);
    const lasted = last ? Math.max(...path.map((one) => one.at_seconds + one.took_seconds + one.waited_seconds)) : 0;
    const told = outcome === "asks" ? null : h("p", { className: `play-end is-${outcome.split(" ")[0]}` }, h("strong", {}, ENDED[outcome] ?? outcome), lasted ? ` after ${spanOf(lasted)}` : "", ` · ${many(path.length, "step")}`);
    fill(this.body, h("div", { className: "play-buttons" }, button("back", "One step back", () => this.#rest(Math.max(this.place - 1, 0))), this.pause, button("chevron", "One step on", () => this.#rest(Math.min(this.place + 1, path.length - 1))),
      h("span", { className: "grow" }), Object.keys(this.answers).length ? button("retry", "Another case", () => this.#again(), { quiet: false, className: "is-small is-plain" }) : null),
    this.now, h("ol", { className: "play-path" }, ...this.rows), question ? this.#question(question) : told, this.#times(untimed, outcome !== "asks" && !lasted));
    // Who goes through it by keys stays where they were, or comes to the next question.
    const same = focused?.dataset.time && this.body.querySelector(`[data-time="${CSS.escape(focused.dataset.time)}"]`);
    if (focused) (same || this.body.querySelector(".play-question :is(button, input)") || this.pause).focus();
  }

  /** Return what the case needs to be told before it can go on. */
  #question({ step, name, what, ways }) {
    const answer = (value, isList) => { this.answers[step] = isList ? [...(this.answers[step] ?? []), value] : value; this.#ask(); };
    const isWay = what === "which way it goes";
    const number = h("input", { type: "number", min: 0, max: 1000, value: 2, "aria-label": "How often" });
    const choice = ways.length ? ways.map((one) => h("button", { type: "button", className: "button is-small", onclick: () => answer(one, isWay) }, one)) : [number, h("button", { type: "submit", className: "button is-small is-main" }, "Go on")];
    return h("form", { className: "play-question", onsubmit: (event) => { event.preventDefault(); answer(Number(number.value)); } }, h("p", {}, h("strong", {}, name), `: ${ASKED[what] ?? what}`), h("div", { className: "play-ways" }, ...choice));
  }

  /** Return where it can be said how long steps take that nothing says it of. */
  #times(untimed, isOpen) {
    const steps = this.workflow.steps.filter((one) => untimed.includes(one.id) || one.id in this.times);
    if (!steps.length) return null;
    const take = (input, id) => {
      const lasts = input.value.trim() ? durationOf(input.value) : "";
      input.setCustomValidity(lasts === null ? "A time is written like “2 hours” or “3 days”." : "");
      if (!input.reportValidity()) return;
      if (lasts) this.times[id] = lasts;
      else delete this.times[id];
      this.spoken = { ...this.spoken, [id]: input.value.trim() };
      this.#ask();
    };
    const field = ({ id, name }) => { const input = h("input", { type: "text", "data-time": id, value: this.spoken?.[id] ?? "", placeholder: "no time", maxlength: 60, autocomplete: "off", onchange: () => take(input, id) }); return h("label", { className: "field" }, h("span", {}, name), input); };
    return h("details", { className: "play-times", open: isOpen || Object.keys(this.times).length > 0 }, h("summary", {}, `How long ${many(steps.length, "step")} take${steps.length === 1 ? "s" : ""} is not known`), ...steps.map(field));
  }

  #again() {
    this.answers = {};
    this.report = null;
    this.#ask();
  }

  /** Go on by itself from a place. */
  #run(place) {
    this.isRunning = true;
    this.#go(place);
    if (place >= this.report.path.length - 1) { this.#rest(place); return; }
    this.timer = setTimeout(() => this.#run(place + 1), STEP_MS);
  }

  #rest(place) {
    clearTimeout(this.timer);
    this.isRunning = false;
    this.#go(place);
  }

  #go(place) {
    this.place = place;
    const { path } = this.report;
    const one = path[place];
    if (!one) return;
    this.rows.forEach((row, number) => { row.className = number === place ? "is-now" : number < place ? "is-past" : ""; row.firstChild.toggleAttribute("aria-current", number === place); if (number === place) row.firstChild.setAttribute("aria-current", "step"); });
    this.rows[place].scrollIntoView({ block: "nearest" });
    this.now.textContent = `Step ${place + 1} of ${path.length}: ${one.name}${one.who ? `, ${one.who}` : ""}`;
    fill(this.pause, icon(this.isRunning ? "stop" : "play"), this.isRunning ? "Pause" : place === path.length - 1 ? "Play again" : "Play");
    this.#mark();
  }

  // The marks on the graph

  #clear() { for (const one of this.graph.port.querySelectorAll(".is-passed, .is-now")) one.classList.remove("is-passed", "is-now"); this.token?.remove(); }

  /** Return the step that is drawn in place of one that is folded away. */
  #seen(id) {
    const parents = new Map(this.workflow.steps.map((one) => [one.id, one.parent]));
    let seen = id;
    while (seen && !this.graph.boxes.has(seen)) seen = parents.get(seen);
    return seen;
  }

  #mark() {
    if (!this.report) return;
    this.#clear();
    this.graph.port.classList.add("is-playing");
    const path = this.report.path.slice(0, this.place + 1);
    const joins = new Set(this.workflow.steps.filter((one) => one.type === "join").map((one) => one.id));
    const passed = new Set(path.map((one) => one.step));
    const ways = new Set([...path.map((one) => one.by), ...this.workflow.transitions.filter((one) => passed.has(one.from) && passed.has(one.to) && joins.has(one.to)).map((one) => one.id)]);
    for (const id of ways) if (id) this.graph.part({ transition: id })?.classList.add("is-passed");
    for (const id of passed) { const seen = this.#seen(id); if (seen) this.graph.step(seen).classList.add("is-passed"); }
    const now = path.at(-1);
    const seen = now && this.#seen(now.step);
    if (!seen) return;
    this.graph.step(seen).classList.add("is-now");
    this.graph.follow(seen);
    if (now.by && this.isRunning) this.#move(this.graph.part({ transition: now.by })?.querySelector(".line"));
  }

  /** Let a token go along a line. */
  #move(line) {
    if (!line) return;
    const long = line.getTotalLength();
    const token = this.token = s("circle", { r: 6, class: "token" });
    line.parentNode.append(token);
    const begun = performance.now();
    const step = (now) => {
      const share = Math.min((now - begun) / MOVE_MS, 1);
      const { x, y } = line.getPointAtLength(long * share * (2 - share));
      token.setAttribute("cx", x);
      token.setAttribute("cy", y);
      if (share < 1 && token.isConnected) requestAnimationFrame(step);
      else token.remove();
    };
    step(begun);
  }
}
