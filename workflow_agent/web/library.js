// All workflows on a page of their own: found, narrowed, sorted, looked at, taken in and out, several at once.

import { asRead, ask, askText, at, query } from "./api.js";
import { askForWords, confirmed } from "./dialogs.js";
import { drawing } from "./diagram.js";
import { afterPause, button, fill, h, icon } from "./dom.js";
import { formats, importDialog, saved, written } from "./exchange.js";
import { newKey } from "./run.js";
import { ago, many, marked } from "./words.js";
import { zipOf } from "./zip.js";

const PAGE = 60;
const AT_A_TIME = 4;
const LEAST_SCALE = 0.26;
const MOST_SCALE = 0.6;
const SORTS = { "": "Sort: best match", changed: "Sort: last changed", name: "Sort: name", steps: "Sort: most steps" };
const ORDERS = {
  changed: (a, b) => (b.updated_at ?? "").localeCompare(a.updated_at ?? ""),
  name: (a, b) => a.name.localeCompare(b.name),
  steps: (a, b) => b.step_count - a.step_count,
};
const TRIGGERS = ["manual", "schedule", "event", "webhook"];

/** Create a workflow of two steps under a name that is asked for; returns its id, or null. */
export async function newWorkflow() {
  const name = await askForWords({ title: "New workflow", label: "Name", action: "Create", about: "It begins with one step; add the others in the graph." });
  if (!name) return null;
  const body = { name, start: "first_step", steps: [{ id: "first_step", name: "First step", type: "human" }, { id: "done", name: "Done", type: "end", outcome: "ok" }], transitions: [{ from: "first_step", to: "done" }] };
  return (await ask("/api/v1/workflows", { method: "POST", body, headers: { "Idempotency-Key": newKey() } })).id;
}

export class Library {
  constructor(element, { announce, open, openSide }) {
    Object.assign(this, { element, announce, open });
    this.chosen = new Map();
    this.analyses = new Map();
    this.asked = 0;
    const select = (label, entries) => h("select", { "aria-label": label, onchange: () => this.look() }, ...entries.map(([value, words]) => h("option", { value }, words)));
    this.search = h("input", { type: "search", placeholder: "Search all workflows", "aria-label": "Search all workflows", autocomplete: "off", maxlength: 200, oninput: afterPause(() => this.look(), 180) });
    this.tag = select("Tag", [["", "Any tag"]]);
    this.owners = h("datalist", { id: "owners" });
    this.role = h("input", { type: "search", placeholder: "Any owner", "aria-label": "Owner", autocomplete: "off", maxlength: 100, oninput: afterPause(() => this.look(), 180) });
    this.role.setAttribute("list", "owners");
    this.trigger = select("Trigger", [["", "Any trigger"], ...TRIGGERS.map((one) => [one, one])]);
    this.found = select("Findings", [["", "Any findings"], ["any", "With findings"], ["error", "With errors"], ["none", "Without findings"]]);
    this.changed = select("Last changed", [["", "Any time"], ["1", "Today"], ["7", "This week"], ["31", "This month"]]);
    this.sort = select("Sort by", Object.entries(SORTS));
    this.list = h("ul", { className: "library-list" });
    this.told = h("p", { className: "quiet library-told", role: "status" });
    this.more = h("div", { className: "library-more" });
    this.bar = h("div", { className: "library-chosen", role: "region", "aria-label": "Chosen workflows", hidden: true });
    this.see = new IntersectionObserver((seen) => { for (const one of seen) if (one.isIntersecting) { this.see.unobserve(one.target); this.#draw(one.target); } }, { rootMargin: "200px" });
    const take = button("take", "Import", () => importDialog({ announce, open }), { quiet: false });
    const make = button("plus", "New workflow", () => newWorkflow().then((id) => id && open(id)).catch((error) => announce(error.message, true)), { quiet: false, className: "is-main" });
    fill(element, h("header", { className: "library-head" }, button("menu", "Show the conversations", openSide, { className: "only-narrow" }), h("h1", { id: "library-title", tabIndex: -1 }, "All workflows"), h("span", { className: "grow" }), take, make),
      h("div", { className: "library-filters" }, h("label", { className: "library-search" }, icon("search"), this.search), this.tag, this.role, this.owners, this.trigger, this.found, this.changed, this.sort),
      this.bar, this.told, this.list, this.more);
    element.addEventListener("dragover", (event) => { if (event.dataTransfer.types.includes("Files")) { event.preventDefault(); element.classList.add("is-dropping"); } });
    element.addEventListener("dragleave", (event) => { if (event.target === element) element.classList.remove("is-dropping"); });
    element.addEventListener("drop", async (event) => { event.preventDefault(); element.classList.remove("is-dropping"); const [file] = event.dataTransfer.files; if (file) importDialog({ announce, open }, await file.text()); });
  }

  /** Show what there is. */
  async show() {
    this.chosen.clear();
    this.#chosenChanged();
    await this.look();
    this.element.querySelector("h1").focus();
  }

  async look(cursor = null) {
    const turn = ++this.asked;
    const words = this.search.value.trim();
    try {
      const page = await ask(`/api/v1/workflows${query({ q: words, tag: this.tag.value, role: this.role.value.trim(), trigger: this.trigger.value, limit: PAGE, cursor })}`);
      if (turn !== this.asked) return;
      this.items = cursor ? [...this.items, ...page.items] : page.items;
      this.cursor = page.next_cursor;
      if (!words && !this.tag.value && !this.role.value.trim()) this.#facets();
      await this.#narrowed(turn, words);
    } catch (error) {
      this.told.textContent = error.message;
    }
  }

  /** Offer the tags that there are. */
  #facets() {
    const tags = [...new Set(this.items.flatMap((one) => one.tags))].sort();
    fill(this.tag, h("option", { value: "" }, "Any tag"), ...tags.map((one) => h("option", { value: one }, one)));
  }

  /** Suggest the owners of workflows that were drawn; any other can be written too. */
  #suggest(names) {
    const known = new Set([...this.owners.children].map((one) => one.value));
    this.owners.append(...[...names].filter((name) => !known.has(name)).map((value) => h("option", { value })));
  }

  async #narrowed(turn, words) {
    let shown = this.items;
    if (this.changed.value) {
      const since = Date.now() - Number(this.changed.value) * 86400000;
      shown = shown.filter((one) => new Date(one.updated_at).getTime() >= since);
    }
    if (this.found.value) {
      this.told.textContent = "Checking …";
      await this.#analysed(shown);
      if (turn !== this.asked) return;
      const wanted = { any: (counts) => Object.keys(counts).length, error: (counts) => counts.error, none: (counts) => !Object.keys(counts).length }[this.found.value];
      shown = shown.filter((one) => wanted(this.analyses.get(`${one.id}@${one.version}`) ?? {}));
    }
    if (this.sort.value) shown = [...shown].sort(ORDERS[this.sort.value]);
    fill(this.list, ...shown.map((one) => this.#card(one, words)));
    for (const one of this.list.querySelectorAll(".thumb")) this.see.observe(one);
    this.told.textContent = shown.length ? `${many(shown.length, "workflow")}${this.cursor ? " so far" : ""}` : words ? `No workflow is like “${words}”.` : "No workflow is like that.";
    fill(this.more, this.cursor ? h("button", { type: "button", className: "button", onclick: () => this.look(this.cursor) }, "Show more") : null);
  }

  async #analysed(items) {
    const left = items.filter((one) => !this.analyses.has(`${one.id}@${one.version}`));
    const work = async () => {
      for (let one = left.pop(); one; one = left.pop()) {
        const { counts } = await ask(at("workflows", one.id, "analysis"));
        this.analyses.set(`${one.id}@${one.version}`, counts);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  }

  #card(one, words) {
    const tick = h("input", { type: "checkbox", checked: this.chosen.has(one.id), "aria-label": `Choose ${one.name}`, onchange: () => { if (tick.checked) this.chosen.set(one.id, one); else this.chosen.delete(one.id); this.#chosenChanged(); } });
    const about = [many(one.step_count, "step"), one.updated_at ? `changed ${ago(one.updated_at)}` : "", one.triggers[0] ?? ""].filter(Boolean).join(" · ");
    return h("li", { className: "library-card" }, tick, h("a", { href: `#/w/${encodeURIComponent(one.id)}` }, h("div", { className: "thumb", "data-id": one.id, "aria-hidden": "true" }),
      h("h2", {}, ...marked(one.name, words)), h("p", { className: "library-about" }, ...marked(one.description || one.id, words))),
    h("p", { className: "quiet library-facts" }, about), one.tags.length ? h("p", { className: "library-tags" }, ...one.tags.slice(0, 4).map((tag) => h("span", { className: "tag" }, ...marked(tag, words)))) : null);
  }

  async #draw(place) {
    const { id } = place.dataset;
    const picture = await askText(at("workflows", id, "diagram") + query({ format: "svg", findings: true, collapse: "auto" }), "image/svg+xml").catch(() => null);
    const made = picture && drawing(picture);
    if (!made) return;
    for (const name of ["aria-label", "role"]) made.removeAttribute(name);
    // A small one is not blown up, and of a large one the beginning can be made out.
    const [width, height] = ["width", "height"].map((name) => Number(made.getAttribute(name)));
    const k = Math.min(Math.max((place.clientWidth - 24) / width, LEAST_SCALE), MOST_SCALE);
    made.setAttribute("width", width * k);
    made.setAttribute("height", height * k);
    this.#suggest(new Set([...made.querySelectorAll(".human .who")].map((one) => one.textContent)));
    for (const one of made.querySelectorAll("title, desc")) one.remove();
    const [errors, warnings] = ["error", "warning"].map((kind) => made.querySelectorAll(`.badge.${kind}`).length);
    fill(place, made, errors ? h("span", { className: "thumb-mark is-error" }, many(errors, "error")) : warnings ? h("span", { className: "thumb-mark is-warning" }, many(warnings, "warning")) : null);
  }

  // Several at once

  #chosenChanged() {
    this.bar.hidden = !this.chosen.size;
    if (!this.chosen.size) return;
    fill(this.bar, h("strong", {}, `${this.chosen.size} chosen`), button("take", "Export as zip", () => this.#export(), { quiet: false, className: "is-small" }),
      button("trash", "Delete", () => this.#delete(), { quiet: false, className: "is-small is-bad" }), h("span", { className: "grow" }), button("close", "Choose none", () => { this.chosen.clear(); this.#chosenChanged(); for (const one of this.list.querySelectorAll("input")) one.checked = false; }));
  }

  async #export() {
    try {
      const all = await formats();
      const kind = await askForWords({ title: `Export ${many(this.chosen.size, "workflow")}`, label: "Format", action: "Export", choices: [...all.map((one) => [one.name, one.title]), ["svg", "SVG picture"], ["mermaid", "Mermaid diagram"]] });
      if (!kind) return;
      const files = [];
      let lossy = 0;
      for (const one of this.chosen.values()) {
        const made = await written(one, kind);
        lossy += made.report?.lost.length ? 1 : 0;
        files.push([made.name, made.text]);
      }
      saved(zipOf(files), "workflows.zip");
      this.announce(`${many(files.length, "file")} in one zip.${lossy ? ` ${many(lossy, "workflow")} lost something on the way; export one alone to see what.` : ""}`);
    } catch (error) {
      this.announce(error.message, true);
    }
  }

  async #delete() {
    const names = [...this.chosen.values()];
    if (!await confirmed({ title: `Delete ${many(names.length, "workflow")}?`, about: `${names.slice(0, 5).map((one) => `“${one.name}”`).join(", ")}${names.length > 5 ? " and others" : ""} and all their versions go from every list.`, action: "Delete" })) return;
    try {
      for (const one of names) await ask(at("workflows", one.id), { method: "DELETE", headers: asRead(one) });
      this.announce(`${many(names.length, "workflow")} deleted.`);
    } catch (error) {
      this.announce(error.message, true);
    }
    this.chosen.clear();
    this.#chosenChanged();
    await this.look();
  }
}
