// All workflows, with search: where one begins when none is open.

import { ask, query } from "./api.js";
import { afterPause, fill, h, icon } from "./dom.js";
import { many } from "./words.js";

const PAGE = 50;

export class Catalogue {
  constructor({ open }) {
    this.open = open;
    this.asked = 0;
    this.list = h("ul", { className: "catalogue-list" });
    this.more = h("div", { className: "catalogue-more" });
    const search = h("input", { type: "search", placeholder: "Search the workflows", "aria-label": "Search the workflows", autocomplete: "off", maxlength: 200, oninput: afterPause(() => this.#look(search.value.trim()).catch((error) => this.#say(error.message)), 180) });
    this.search = search;
    this.element = h("section", { className: "catalogue", "aria-label": "Workflows" }, search, this.list, this.more);
  }

  /** Show what there is; says whether there is any. */
  async load() {
    this.search.value = "";
    const { items } = await this.#look("");
    this.element.hidden = !items.length;
    return items.length > 0;
  }

  async #look(words, cursor = null) {
    const turn = ++this.asked;
    const page = await ask(`/api/v1/workflows${query({ q: words, limit: PAGE, cursor })}`);
    if (turn !== this.asked) return page;
    const made = page.items.map((one) => h("li", {}, h("button", { type: "button", onclick: () => this.open(one.id) }, icon("flow"),
      h("span", { className: "catalogue-name" }, one.name), h("span", { className: "quiet catalogue-about" }, one.description || many(one.step_count, "step")))));
    if (cursor) this.list.append(...made);
    else fill(this.list, ...made);
    if (!page.items.length && words) this.#say(`No workflow is like “${words}”.`);
    else fill(this.more, page.next_cursor ? h("button", { type: "button", className: "button", onclick: () => this.#look(words, page.next_cursor).catch((error) => this.#say(error.message)) }, "Show more") : null);
    return page;
  }

  #say(words) { fill(this.more, h("p", { className: "nothing" }, words)); }
}
