// What is known of the person: seen, corrected, forgotten.

import { ask, at } from "./api.js";
import { askForWords, confirmed, windowed } from "./dialogs.js";
import { button, fill, h } from "./dom.js";

/** Open the window of what is remembered; `announce` tells what went wrong. */
export async function openMemory({ announce }) {
  const body = h("div", { className: "memory" });
  const tried = async (act) => { try { await act(); await load(); } catch (error) { announce(error.message, true); } };
  const forget = (one) => tried(() => ask(at("memory", one.id), { method: "DELETE" }));
  async function correct(one) {
    const text = await askForWords({ title: "What is right?", label: "Remember instead", action: "Correct", value: one.text });
    if (text) await tried(() => ask(at("memory", one.id), { method: "PATCH", body: { text } }));
  }
  async function forgetAll() {
    const sure = await confirmed({ title: "Forget everything?", about: "All that is remembered of you goes, in your conversations too.", action: "Forget everything" });
    if (sure) await tried(() => ask(at("memory"), { method: "DELETE" }));
  }
  const source = (one) => (one.source ? h("a", { href: `#/c/${encodeURIComponent(one.source.conversation_id)}`, onclick: () => box.close() }, `turn ${one.source.turn}`) : "by hand");
  const line = (one) => h("li", {}, h("span", { dir: "auto" }, one.text), h("span", { className: "quiet" }, `${one.kind}, told in `, source(one)),
    one.kind === "alias" ? null : button("edit", `Correct “${one.text}”`, () => correct(one)), button("trash", `Forget “${one.text}”`, () => forget(one)));
  async function load() {
    const known = await ask(at("memory"));
    fill(body, known.items.length ? h("ul", {}, ...known.items.map(line)) : h("p", {}, "Nothing yet. Say “remember that I prefer short names”, and it is known in every conversation."),
      known.items.length || known.workflows.length ? button("trash", "Forget everything", forgetAll, { quiet: false }) : null);
  }
  const box = windowed("What is remembered of you", body);
  await tried(async () => {});
}
