// Questions that stand in front of the page until they are answered.

import { button, fill, h } from "./dom.js";

/** Ask for some words; resolves to them, or to null where nobody gives any. */
export function askForWords({ title, about, label, action, value = "", type = "text", cancel = "Cancel", choices = null }) {
  if (choices) {
    const pick = h("select", { id: "asked-words" }, ...choices.map(([key, words]) => h("option", { value: key }, words)));
    return shown({ title, about, action, cancel, isGood: () => true, answer: () => pick.value, parts: [h("label", { for: "asked-words" }, label), pick], focus: pick });
  }
  const input = h("input", { type, id: "asked-words", autocomplete: "off", required: true, spellcheck: "false", maxlength: 200, value });
  const isGood = () => Boolean(input.value.trim());
  return shown({ title, about, action, cancel, isGood, answer: () => input.value.trim(), parts: [h("label", { for: "asked-words" }, label), input], focus: input });
}

/** Ask whether something is to be done; resolves to true or null. */
export function confirmed({ title, about, action }) {
  return shown({ title, about, action, cancel: "Cancel", isGood: () => true, answer: () => true, parts: [], isDanger: true });
}

function shown({ title, about, action, cancel, isGood, answer, parts, focus, isDanger = false }) {
  return new Promise((resolve) => {
    let given = null;
    const back = document.activeElement;
    const no = cancel ? h("button", { type: "button", className: "button", onclick: () => box.close() }, cancel) : null;
    const yes = h("button", { type: "submit", className: isDanger ? "button is-danger" : "button is-main" }, action);
    const box = h("dialog", { className: "dialog", "aria-labelledby": "dialog-title" });
    fill(box, h("form", { method: "dialog", onsubmit: (event) => { event.preventDefault(); if (isGood()) { given = answer(); box.close(); } } },
      h("h2", { id: "dialog-title" }, title), about ? h("p", {}, about) : null, ...parts, h("div", { className: "dialog-buttons" }, no, yes)));
    box.addEventListener("close", () => { box.remove(); back?.focus?.(); resolve(given); });
    document.body.append(box);
    box.showModal();
    (focus ?? no)?.focus();
    focus?.select?.();
  });
}

/** Open a window with a body of its own; returns it, to be closed. */
export function windowed(title, body, { isWide = false, className = "" } = {}) {
  const back = document.activeElement;
  const box = h("dialog", { className: `dialog window ${isWide ? "is-wide" : ""} ${className}`, "aria-labelledby": "window-title" },
    h("header", { className: "window-head" }, h("h2", { id: "window-title" }, title), button("close", "Close", () => box.close())), body);
  box.addEventListener("close", () => { box.remove(); back?.focus?.(); });
  box.addEventListener("pointerdown", (event) => { if (event.target === box) box.close(); });
  document.body.append(box);
  box.showModal();
  return box;
}
