// The messages of a conversation: the newest first, older ones when they are scrolled to.

import { ask, at, query } from "./api.js";
import { button, fill, h, icon } from "./dom.js";
import { markdown } from "./markdown.js";
import { Reply } from "./reply.js";
import { mayLackAnswer, problemOf, unanswered } from "./unanswered.js";
import { many, moment, spoken } from "./words.js";

const PAGE = 40;
const NEAR = 900;
const LONG_CHARS = 1400;
const LONG_LINES = 16;
const ANCHORS = CSS.supports("overflow-anchor", "auto");

export class Thread {
  constructor(element, actions) {
    this.element = element;
    this.actions = { ...actions, grew: () => this.follow() };
    this.list = h("div", { className: "turns" });
    this.isAtEnd = true;
    element.addEventListener("scroll", () => { this.isAtEnd = this.#distance() < 80; this.#older(); }, { passive: true });
    // What comes into view gets its true height only then, and a reply grows while it is read.
    new ResizeObserver(() => this.follow()).observe(this.list);
  }

  /** Show nothing but something to begin with. */
  welcome(node) {
    this.reset();
    fill(this.element, node);
  }

  reset() {
    this.seen = new Set();
    this.replies = new Map();
    this.answers = new Map();
    this.cursor = null;
    this.asked = (this.asked ?? 0) + 1;
    fill(this.list);
  }

  /** Show the end of a conversation; returns its newest events, newest first. */
  async load(id) {
    this.reset();
    this.id = id;
    const turn = this.asked;
    fill(this.element, h("div", { className: "loading", "aria-hidden": "true" }, h("i"), h("i"), h("i")));
    const page = await this.#page();
    if (turn !== this.asked) return null;
    fill(this.element, this.list);
    const last = page.items.find((event) => event.type !== "system_event");
    // The last message is followed, or explained, by whoever opens the conversation.
    this.#explain(this.#put(page.items).filter((event) => event !== last));
    this.settle();
    this.toEnd();
    return page.items;
  }

  #page() {
    return ask(at("conversations", this.id, "history") + query({ order: "newest", brief: true, limit: PAGE, cursor: this.cursor })).then((page) => {
      this.cursor = page.next_cursor;
      return page;
    });
  }

  async #older() {
    if (!this.cursor || this.isLoading || this.element.scrollTop > NEAR || !this.list.isConnected) return;
    this.isLoading = true;
    const turn = this.asked;
    try {
      const page = await this.#page();
      if (turn !== this.asked) return;
      this.#keeping(() => this.#explain(this.#put(page.items)));
    } catch {
      // Scrolling again asks again.
    } finally {
      this.isLoading = false;
    }
  }

  /** Change what is above while what is read stays where it is. */
  #keeping(change) {
    if (ANCHORS) {
      // The browser holds on to what is seen, but not at the very top.
      this.element.scrollTop = Math.max(this.element.scrollTop, 1);
      change();
      return;
    }
    const first = this.list.firstElementChild;
    const before = first.getBoundingClientRect().top;
    change();
    this.element.scrollTop += first.getBoundingClientRect().top - before;
  }

  /** Put older events, newest first, above what is shown; returns those that were not there. */
  #put(events) {
    const fresh = [...events].reverse().filter((event) => !this.seen.has(event.id));
    for (const event of fresh) this.seen.add(event.id);
    // A page at a time, so that the browser can leave out whole pages that nobody looks at.
    if (fresh.length) this.list.prepend(h("div", { className: "page" }, ...fresh.map((event) => this.#node(event))));
    return fresh;
  }

  /** Say behind each turn that lacks an answer why it does. */
  #explain(events) {
    const { asked, id } = this;
    for (const message of events) {
      if (message.type !== "user_message" || !mayLackAnswer(message, this.answers.get(message.turn) ?? 0)) continue;
      unanswered(id, message.turn).then((runs) => { if (asked === this.asked) this.#keeping(() => this.#lacking(message.turn, runs)); });
    }
  }

  #lacking(turn, runs) {
    const before = this.replies.get(turn)?.element ?? this.list.querySelector(`.message[data-turn="${turn}"]`);
    before.after(...runs.map((run) => Reply.lacking(run, problemOf(run), () => this.actions.retry(turn), this.actions).element));
  }

  #node(event) {
    if (event.type === "user_message") return this.#message(event);
    if (event.type === "system_event") return event.kind === "workflow_change" ? this.#byHand(event.data) : h("div", { className: "happened" }, h("span", {}, event.content));
    const reply = Reply.of(event, this.actions);
    this.replies.set(event.turn, reply);
    this.answers.set(event.turn, (this.answers.get(event.turn) ?? 0) + 1);
    return reply.element;
  }

  /** Show what somebody changed by hand, as it happened. */
  happened(made) {
    if (!this.id && !this.list.isConnected) return;
    if (!this.actions.conversationId()) return;
    if (!this.list.isConnected) fill(this.element, this.list);
    this.list.append(this.#byHand(made));
    this.follow();
  }

  #byHand({ workflow_id: id, name, version, changes, action }) {
    const words = action && action !== "edited" ? spoken(action) : changes[0] ?? "Nothing changed";
    return h("div", { className: "by-hand" }, icon("edit"), h("div", {}, h("p", {}, h("strong", {}, "You"), " ", words), changes.length > 1 ? h("p", { className: "quiet" }, `and ${many(changes.length - 1, "more change")}`) : null),
      h("button", { type: "button", className: "by-hand-open", onclick: () => this.actions.openWorkflow(id) }, `${name} · version ${version}`));
  }

  #message(event) {
    const attached = event.options?.attachments?.length;
    const names = (event.attachments ?? []).map((one) => h("span", { className: "file" }, one.title ?? "Attachment"));
    const tools = h("div", { className: "message-buttons" }, event.author === "user" ? button("edit", "Edit and branch", () => { if (event.turn) this.actions.edit(event); }) : null,
      event.at ? h("time", { className: "quiet", datetime: event.at }, moment(event.at)) : null);
    const isLong = event.content.length > LONG_CHARS || event.content.split("\n").length > LONG_LINES;
    const unfold = isLong ? h("button", { type: "button", className: "unfold", "aria-expanded": "false", onclick: () => { const isShut = unfold.previousSibling.classList.toggle("is-long"); unfold.setAttribute("aria-expanded", String(!isShut)); unfold.textContent = isShut ? "Show all" : "Show less"; } }, "Show all") : null;
    return h("div", { className: "message", "data-turn": event.turn },
      h("span", { className: "unseen" }, event.author === "user" ? "You said:" : `${event.author} said:`),
      h("div", { className: isLong ? "bubble prose is-long" : "bubble prose" }, ...markdown(event.content), attached ? h("span", { className: "file" }, many(attached, "document")) : null, names.length ? h("div", { className: "files" }, ...names) : null), unfold, tools);
  }

  /** Add what the user says, before the server has it. */
  addMessage(event) {
    if (!this.list.isConnected) fill(this.element, this.list);
    const node = this.#message(event);
    this.list.append(node);
    this.toEnd();
    return {
      get turn() { return event.turn; },
      accepted({ turn }) { event.turn = turn; node.dataset.turn = turn; },
      remove() { node.remove(); },
    };
  }

  /** Add a reply that is to come. */
  addReply() {
    const reply = new Reply(this.actions);
    this.list.append(reply.element);
    this.settle(reply);
    this.toEnd();
    return reply;
  }

  /** Only the newest reply's proposal can still be decided. */
  settle(newest) {
    for (const element of this.list.querySelectorAll(".reply.is-last")) element.classList.remove("is-last");
    const last = newest?.element ?? [...this.list.querySelectorAll(".message, .reply")].at(-1);
    if (last?.classList.contains("reply")) last.classList.add("is-last");
    for (const [turn, reply] of this.replies) if (reply.element !== last) reply.decided(this.replies.get(turn + 1)?.reply);
  }

  /** Stay at the end, if that is where the reader is. */
  follow() { if (this.isAtEnd) this.toEnd(); }

  toEnd() {
    this.isAtEnd = true;
    this.element.scrollTop = this.element.scrollHeight;
  }

  #distance() {
    const { scrollTop, clientHeight, scrollHeight } = this.element;
    return scrollHeight - scrollTop - clientHeight;
  }
}
