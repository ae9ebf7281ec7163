// Who answers here, and whether anybody does.

import { ask } from "./api.js";
import { chosenModel, modelDialog, spokenModel } from "./model_choice.js";

const EVERY_MS = 15000;

/** Make a button tell which model answers, and that the server is gone where it is; pressed, it lets another be chosen. */
export function installStatus(button, announce) {
  let about = null;
  // Where the list is folded away, nobody sees the button.
  const tell = (words) => { if (!button.checkVisibility({ visibilityProperty: true })) announce(words); };
  async function look() {
    try {
      about = await ask("/health");
      const model = chosenModel() ?? about.model;
      const isRules = model === "offline";
      button.textContent = isRules ? spokenModel(model) : `Model: ${model}`;
      button.title = isRules ? "Answers come from rules in this program; nothing is sent anywhere." : `Answers come from ${model}.`;
      button.classList.toggle("is-rules", isRules);
      if (button.classList.contains("is-gone")) tell("The server answers again.");
      button.classList.remove("is-gone");
    } catch {
      about = null;
      if (!button.classList.contains("is-gone")) tell("The server cannot be reached. What you write stays here until it answers again.");
      button.textContent = "Server not reachable";
      button.title = "What you write stays here until it answers again.";
      button.classList.add("is-gone");
    }
  }
  const choose = () => modelDialog(about, look).catch((error) => announce(error.message, true));
  button.addEventListener("click", () => look().then(choose));
  addEventListener("online", look);
  addEventListener("offline", look);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });
  setInterval(() => { if (!document.hidden) look(); }, EVERY_MS);
  look();
  return choose;
}
