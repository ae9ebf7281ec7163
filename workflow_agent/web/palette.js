// Everything by its name: commands, workflows and conversations, with Ctrl K.

import { ask, query } from "./api.js";
import { windowed } from "./dialogs.js";
import { afterPause, fill, h, icon } from "./dom.js";
import { marked } from "./words.js";

const MOST = 6;

/** Open the palette; `commands` are what can be done now. */
export function openPalette(commands, { openWorkflow, openTalk }) {
  if (document.querySelector(".palette")) return;
  const list = h("ul", { role: "listbox", id: "palette-list", "aria-label": "Found" });
  const input = h("input", { type: "text", role: "combobox", "aria-controls": "palette-list", "aria-expanded": "true", "aria-label": "Search commands, workflows and conversations", placeholder: "A command, a workflow, a conversation …", autocomplete: "off", maxlength: 200 });
  const box = windowed("Go to", h("div", {}, input, list), { className: "palette" });
  let entries = [];
  let chosen = 0;
  let asked = 0;
  let looked = null;
  const take = (entry) => { box.close(); entry?.act(); };
  function draw(words) {
    fill(list, ...entries.map((one, place) => h("li", { role: "option", id: `palette-${place}`, "aria-selected": String(place === chosen), onclick: () => take(one) }, icon(one.icon), h("span", {}, ...marked(one.words, words)), h("span", { className: "quiet" }, one.about ?? ""), one.keys ? h("kbd", {}, one.keys) : null)));
    input.setAttribute("aria-activedescendant", entries.length ? `palette-${chosen}` : "");
    if (!entries.length) fill(list, h("li", { className: "nothing" }, "Nothing is called that."));
    list.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }
  async function look() {
    const words = looked = input.value.trim();
    const mine = ++asked;
    const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
    const near = commands.filter((one) => parts.every((part) => one.words.toLowerCase().includes(part)));
    entries = near;
    chosen = 0;
    draw(words);
    const [workflows, talks] = await Promise.all([
      ask(`/api/v1/workflows${query({ called: words, limit: MOST })}`).catch(() => ({ items: [] })),
      ask(`/api/v1/conversations${query({ q: words, limit: MOST })}`).catch(() => ({ items: [] })),
    ]);
    if (mine !== asked) return;
    entries = [...near, ...workflows.items.map((one) => ({ icon: "flow", words: one.name, about: "Workflow", act: () => openWorkflow(one.id) })), ...talks.items.map((one) => ({ icon: "chat", words: one.title || one.id, about: "Conversation", act: () => openTalk(one.id) }))];
    draw(words);
  }
  input.addEventListener("input", afterPause(look, 90));
  input.addEventListener("keydown", async (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && entries.length) { event.preventDefault(); chosen = (chosen + step + entries.length) % entries.length; draw(input.value.trim()); }
    if (event.key !== "Enter") return;
    event.preventDefault();
    // Who types fast means what is written, not what the list showed before.
    if (looked !== input.value.trim()) await look();
    take(entries[chosen]);
  });
  look();
  input.focus();
}
