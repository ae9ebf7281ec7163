// Asks for the server's key. It is kept in this tab only, until it is closed.

import { h } from "./dom.js";

/** Return the key that somebody gives, or null. */
export function askForKey(wasWrong) {
  return new Promise((resolve) => {
    const input = h("input", { type: "password", id: "key", autocomplete: "off", required: true, spellcheck: "false" });
    const dialog = h("dialog", { className: "key-dialog", "aria-labelledby": "key-title" },
      h("form", { method: "dialog", onsubmit: (event) => { event.preventDefault(); if (input.value.trim()) dialog.close(input.value.trim()); } },
        h("h2", { id: "key-title" }, "This server needs a key"),
        h("p", {}, wasWrong ? "That key is not known here. Try another." : "Whoever runs it can give you one. It stays in this tab until you close it."),
        h("label", { for: "key" }, "API key"), input,
        h("button", { type: "submit", className: "button is-main" }, "Continue")));
    dialog.addEventListener("close", () => { dialog.remove(); resolve(dialog.returnValue || null); });
    document.body.append(dialog);
    dialog.showModal();
    input.focus();
  });
}
