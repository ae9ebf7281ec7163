// What an `@` or a `#` may stand for, offered while it is written.

import { fill, h } from "./dom.js";
import { shortened } from "./words.js";

const WORD = /(?:^|\s)([@#])([\p{L}\p{N}_-]{0,40})$/u;
const MOST = 7;
const NOWHERE = 1000;

function plain(text) { return text.toLowerCase().replace(/[-_]/g, " "); }

export class Completion {
  constructor(input, { agents, workflows }) {
    this.input = input;
    this.sources = { "@": agents, "#": workflows };
    this.element = h("ul", { className: "completion", role: "listbox", id: "completion", "aria-label": "Suggestions", hidden: true });
    this.offered = [];
    this.known = new Map();
    this.picked = new Map();
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-controls", "completion");
    input.addEventListener("blur", () => this.#close());
  }

  /** Look at what is before the caret. */
  async look() {
    const match = this.#written();
    if (!match) this.known.clear();
    if (!match || document.activeElement !== this.input) { this.#close(); return; }
    const [, sign, begun] = match;
    const all = await this.#known(sign, begun);
    // While that was asked for, more may have been written: whoever looked last draws.
    if (this.#written()?.[2] !== begun) return;
    const wanted = plain(begun);
    const place = (one) => Math.min(...[one.id, one.name].map((text) => plain(text).indexOf(wanted)).map((found) => (found < 0 ? NOWHERE : found)));
    // The server has chosen the workflows, by their aliases too; agents are all there.
    this.offered = all.filter((one) => sign === "#" || place(one) < NOWHERE).sort((a, b) => place(a) - place(b)).slice(0, MOST);
    this.at = 0;
    if (this.offered.length) this.#draw();
    else this.#close();
  }

  /** Take a key; says whether it was for the list. */
  key({ key }) {
    if (this.element.hidden) return false;
    if (key === "ArrowDown" || key === "ArrowUp") {
      this.at = (this.at + (key === "ArrowDown" ? 1 : -1) + this.offered.length) % this.offered.length;
      this.#draw();
    } else if (key === "Enter" || key === "Tab") this.#take(this.offered[this.at]);
    else if (key === "Escape") this.#close();
    else return false;
    return true;
  }

  /** Return what a text with completed names asks for beside its words. */
  chosen(text) {
    const workflow = [...this.picked].reverse().find(([id]) => text.includes(id));
    this.picked.clear();
    return workflow ? { workflow_id: workflow[0] } : {};
  }

  #draw() {
    fill(this.element, ...this.offered.map((one, at) => h("li", {
      role: "option", id: `completion-${at}`, "aria-selected": at === this.at ? "true" : "false",
      onmousedown: (event) => { event.preventDefault(); this.#take(one); },
    }, h("strong", {}, one.name), h("span", { className: "quiet" }, shortened(one.about ?? "", 70)))));
    this.element.hidden = false;
    this.input.setAttribute("aria-activedescendant", `completion-${this.at}`);
  }

  /** Return the sign and the letters before the caret, if a name is being written there. */
  #written() { return WORD.exec(this.input.value.slice(0, this.input.selectionStart)); }

  /** Return what a sign and the letters behind it may stand for, asked for once while a name is written. */
  #known(sign, begun) {
    const key = sign === "#" ? sign + begun : sign;
    if (!this.known.has(key)) this.known.set(key, this.sources[sign](begun).catch(() => []));
    return this.known.get(key);
  }

  #take(one) {
    const end = this.input.selectionStart;
    // What is before the caret now, which may be more than what the list was drawn for.
    const [, sign, begun] = this.#written();
    if (sign === "#") this.picked.set(one.id, true);
    this.input.setRangeText(sign === "@" ? `@${one.id} ` : `${one.id} `, end - begun.length - 1, end, "end");
    this.#close();
    this.input.dispatchEvent(new Event("input"));
  }

  #close() {
    this.element.hidden = true;
    this.input.removeAttribute("aria-activedescendant");
  }
}
