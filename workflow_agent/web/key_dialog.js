// Asks for the server's key. It is kept in this tab only, until it is closed.

import { askForWords } from "./dialogs.js";

/** Return the key that somebody gives, or null. */
export function askForKey(wasWrong) {
  return askForWords({
    title: "This server needs a key", label: "API key", type: "password", action: "Continue", cancel: null,
    about: wasWrong ? "That key is not known here. Try another." : "Whoever runs it can give you one. It stays in this tab until you close it.",
  });
}
