// The list of conversations, the latest first, with search.

import { ask, query } from "./api.js";
import { afterPause, fill, h } from "./dom.js";
import { ago, many, marked } from "./words.js";

const PAGE = 40;

export class Talks {
  constructor(element, search) {
    this.element = element;
    this.current = null;
    this.asked = 0;
    search.addEventListener("input", afterPause(() => this.load(search.value.trim()), 180));
    element.addEventListener("scroll", () => this.#more(), { passive: true });
    element.addEventListener("keydown", (event) => this.#walk(event));
  }

  /** Show the conversations that hold some words, or all. */
  async load(words = this.words ?? "") {
    this.words = words;
    const turn = ++this.asked;
    try {
      const [page, said] = await Promise.all([
        ask(`/api/v1/conversations${query({ q: words, limit: PAGE })}`),
        words ? ask(`/api/v1/search/messages${query({ q: words, limit: 200 })}`).catch(() => ({ items: [] })) : { items: [] },
      ]);
      if (turn !== this.asked) return;
      // The best of a conversation comes first, and the last of equal keys stays.
      this.snippets = new Map(said.items.toReversed().map((one) => [one.conversation_id, one.snippet]));
      this.items = page.items;
      this.cursor = page.next_cursor;
      this.#draw();
    } catch (error) {
      if (turn === this.asked) fill(this.element, h("p", { className: "nothing" }, error.message));
    }
  }

  /** Mark the conversation that is open. */
  mark(id) {
    this.current = id;
    for (const link of this.element.querySelectorAll("a")) {
      if (link.dataset.id === id) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  #draw() {
    if (!this.items.length) {
      fill(this.element, h("p", { className: "nothing" }, this.words ? `Nothing holds “${this.words}”.` : "Your conversations will be listed here."));
      return;
    }
    fill(this.element, h("ul", {}, ...this.items.map((item) => this.#item(item))));
  }

  #item(item) {
    const isOpen = item.id === this.current;
    return h("li", {}, h("a", { href: `#/c/${encodeURIComponent(item.id)}`, "data-id": item.id, "aria-current": isOpen ? "page" : null },
      h("span", { className: "talk-title", dir: "auto" }, ...marked(item.title || item.id, this.words)),
      this.snippets?.has(item.id) ? h("span", { className: "talk-snippet" }, ...marked(this.snippets.get(item.id), this.words)) : null,
      h("span", { className: "talk-about" }, `${many(item.turns, "turn")} · ${ago(item.updated_at)}`)));
  }

  async #more() {
    const { scrollTop, clientHeight, scrollHeight } = this.element;
    if (!this.cursor || this.isLoading || scrollTop + clientHeight < scrollHeight - 300) return;
    this.isLoading = true;
    const turn = this.asked;
    try {
      const page = await ask(`/api/v1/conversations${query({ q: this.words, limit: PAGE, cursor: this.cursor })}`);
      if (turn !== this.asked) return;
      this.cursor = page.next_cursor;
      this.items.push(...page.items);
      this.element.querySelector("ul").append(...page.items.map((item) => this.#item(item)));
    } finally {
      this.isLoading = false;
    }
  }

  #walk(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const links = [...this.element.querySelectorAll("a")];
    const next = links[links.indexOf(document.activeElement) + step];
    if (next) { next.focus(); event.preventDefault(); }
  }
}
