// Who answers here, and whether anybody does.

import { ask } from "./api.js";
import { windowed } from "./dialogs.js";
import { h } from "./dom.js";

const EVERY_MS = 15000;

/** Make a button tell which model answers, and that the server is gone where it is. */
export function installStatus(button) {
  let about = null;
  async function look() {
    try {
      about = await ask("/health");
      const isRules = about.model === "offline";
      button.textContent = isRules ? "Fixed rules, no AI model" : `Model: ${about.model}`;
      button.title = `Version ${about.version}. ${isRules ? "Answers come from rules in this program; nothing is sent anywhere." : `Answers come from ${about.model}.`}`;
      button.classList.toggle("is-rules", isRules);
      button.classList.remove("is-gone");
    } catch {
      button.textContent = "Server not reachable";
      button.title = "What you write stays here until it answers again.";
      button.classList.add("is-gone");
    }
  }
  button.addEventListener("click", () => { explain(about); look(); });
  addEventListener("online", look);
  addEventListener("offline", look);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });
  setInterval(() => { if (!document.hidden) look(); }, EVERY_MS);
  look();
}

function explain(about) {
  const isRules = about?.model === "offline";
  windowed("Who answers", h("div", {}, ...(!about ? [h("p", {}, "The server does not answer. It may be starting again; what you wrote stays here.")] : isRules ? [
    h("p", {}, "Fixed rules inside this program answer. They create, find, change and check workflows from plain English, cost nothing and send nothing anywhere; they are exact but not clever."),
    h("p", {}, "For a language model, start the server with one and its provider's key:"), h("code", { className: "code-line" }, "WORKFLOW_AGENT_MODEL=openai:gpt-5 OPENAI_API_KEY=… workflow-agent serve"),
  ] : [h("p", {}, `${about.model} answers. What you say, and the parts of workflows that it needs, are sent to its provider.`)]), about ? h("p", { className: "quiet" }, `Version ${about.version}`) : null));
}
