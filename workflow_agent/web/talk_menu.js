// What can be done with a whole conversation: another name, a branch, a copy, an end.

import { ask, at, query, send } from "./api.js";
import { askForWords, confirmed } from "./dialogs.js";
import { fill, h, icon } from "./dom.js";
import { newKey } from "./run.js";

export class TalkMenu {
  constructor(element, { conversationId, title, on, announce }) {
    this.conversationId = conversationId;
    this.title = title;
    this.on = on;
    this.announce = announce;
    this.element = element;
    const entry = (words, act, className = "") => h("li", {}, h("button", { type: "button", className, onclick: () => this.#do(act) }, words));
    this.fold = h("details", { className: "menu" }, h("summary", { className: "icon-button", "aria-label": "Conversation menu", title: "Conversation menu" }, icon("more")),
      h("ul", { className: "menu-list" }, entry("Rename…", () => this.#rename()), entry("Branch from here…", () => this.#branch()),
        entry("Download", () => this.#download()), entry("Delete…", () => this.#delete(), "is-bad")));
    fill(element, this.fold);
    this.fold.addEventListener("keydown", (event) => this.#walk(event));
    addEventListener("pointerdown", (event) => { if (!this.fold.contains(event.target)) this.fold.open = false; });
    this.fold.addEventListener("focusout", (event) => { if (event.relatedTarget && !this.fold.contains(event.relatedTarget)) this.fold.open = false; });
  }

  /** Say whether a conversation is open: there is nothing to do with one that has not begun. */
  show(isOpen) {
    this.fold.open = false;
    this.element.hidden = !isOpen;
  }

  async #do(act) {
    this.#close();
    try {
      await act();
    } catch (error) {
      this.announce(error.message, true);
    }
  }

  #close() {
    const hadFocus = this.fold.contains(document.activeElement);
    this.fold.open = false;
    if (hadFocus) this.fold.firstChild.focus();
  }

  async #rename() {
    const id = this.conversationId();
    const title = await askForWords({ title: "Rename the conversation", label: "Name", action: "Rename", value: this.title() });
    if (!title) return;
    await ask(at("conversations", id), { method: "PATCH", body: { title }, headers: { "If-Match": "*" } });
    await this.on.renamed(id);
  }

  async #branch() {
    const id = this.conversationId();
    const title = await askForWords({ title: "Branch from here", label: "Name of the branch", action: "Branch", value: `${this.title()}, another way`.slice(0, 200), about: "A new conversation that begins with all of this one. This one stays as it is." });
    if (!title) return;
    const { items: [last] } = await ask(at("conversations", id, "history") + query({ order: "newest", brief: true, limit: 1 }));
    const made = await ask(at("conversations", id, "fork"), { method: "POST", body: { event_id: last.id, title }, headers: { "Idempotency-Key": newKey() } });
    this.on.branched(made.id);
  }

  async #download() {
    const id = this.conversationId();
    const answer = await send(at("conversations", id, "export"));
    const link = h("a", { href: URL.createObjectURL(await answer.blob()), download: `${id}.conversation.json` });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  async #delete() {
    const id = this.conversationId();
    const title = this.title();
    if (!await confirmed({ title: "Delete the conversation?", about: `“${title}” and all that was said in it is gone for good. Workflows stay. Download it first to keep a copy.`, action: "Delete" })) return;
    await ask(at("conversations", id), { method: "DELETE" });
    this.announce(`“${title}” was deleted.`);
    this.on.deleted(id);
  }

  #walk(event) {
    if (event.key === "Escape" && this.fold.open) { event.stopPropagation(); this.#close(); return; }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    this.fold.open = true;
    const entries = [...this.fold.querySelectorAll(".menu-list button")];
    entries[(entries.indexOf(document.activeElement) + step + entries.length) % entries.length].focus();
  }
}
