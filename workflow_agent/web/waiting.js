// Changes that wait for somebody's word, on a page of their own: looked at, made or turned down.

import { ask, at, query } from "./api.js";
import { button, fill, h, icon } from "./dom.js";
import { previewCard } from "./preview.js";
import { ago, many, moment, spoken } from "./words.js";

const EVERY_MS = 15000;
const ENDED = { outdated: ": the workflow has been changed since", expired: ": nobody decided in time" };

/** Keep the number of waiting changes beside a link. */
export function installCount(link) {
  const count = h("span", { className: "count", hidden: true });
  link.append(count);
  async function look() {
    const { items } = await ask("/api/v1/previews").catch(() => ({ items: [] }));
    count.hidden = !items.length;
    fill(count, String(items.length), h("span", { className: "unseen" }, " waiting"));
  }
  setInterval(() => { if (!document.hidden) look(); }, EVERY_MS);
  look();
  return look;
}

export class Waiting {
  constructor(element, { announce, open, openSide, changed }) {
    Object.assign(this, { element, announce, open, changed });
    this.all = h("input", { type: "checkbox", id: "waiting-all", onchange: () => this.look() });
    this.list = h("ul", { className: "waiting-list" });
    this.told = h("p", { className: "quiet library-told", role: "status" });
    fill(element, h("header", { className: "library-head" }, button("menu", "Show the conversations", openSide, { className: "only-narrow" }), h("h1", { id: "waiting-title", tabIndex: -1 }, "Waiting changes"), h("span", { className: "grow" }),
      h("label", { className: "waiting-all", for: "waiting-all" }, this.all, "Also decided ones")), this.told, this.list);
  }

  async show() {
    await this.look();
    this.element.querySelector("h1").focus();
  }

  async look() {
    try {
      const { items } = await ask(`/api/v1/previews${query({ state: this.all.checked ? "all" : null })}`);
      this.told.textContent = items.length ? many(items.length, "change") : "Nothing waits for a word. What takes back a lot is shown here before it is made.";
      fill(this.list, ...items.map((one) => h("li", {}, this.#card(one))));
    } catch (error) {
      this.told.textContent = error.message;
    }
  }

  #card({ preview, ...one }) {
    const isOpen = one.state === "waiting";
    const card = previewCard(preview, { decide: (word) => this.#decide(preview, word), openWorkflow: this.open, isSeen: true });
    card.classList.toggle("is-open", isOpen);
    card.classList.toggle("is-decided", !isOpen);
    const ended = isOpen ? null : h("p", { className: "waiting-end" }, icon(one.state === "applied" ? "check" : "cross"), ` ${spoken(one.state)}${one.decided_by ? ` by ${one.decided_by}, ${moment(one.decided_at)}` : ENDED[one.state] ?? ""}`);
    const asked = h("p", { className: "quiet waiting-asked" }, `Asked by ${one.asked_by}, ${ago(one.created_at)}, for version ${preview.version}${isOpen ? `; until ${moment(one.expires_at)}` : ""} `,
      one.conversation_id ? h("a", { href: `#/c/${encodeURIComponent(one.conversation_id)}` }, "its conversation") : null);
    card.append(asked, ...(ended ? [ended] : []));
    return card;
  }

  async #decide(preview, word) {
    try {
      const made = await ask(at("previews", preview.id), { method: "POST", body: { decision: word === "yes" ? "apply" : "reject" } });
      this.announce(made.state === "applied" ? `Made: ${preview.changes[0] ?? preview.workflow_name}${made.made_version ? `, version ${made.made_version}` : ""}.` : "Turned down.");
    } catch (error) {
      this.announce(error.message, true);
    }
    await this.look();
    this.changed();
  }
}
