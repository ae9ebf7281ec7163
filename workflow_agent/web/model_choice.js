// Which model answers what is said in this tab, and the key it is reached with; both are gone when the tab is closed.

import { ask } from "./api.js";
import { windowed } from "./dialogs.js";
import { button, h } from "./dom.js";

const MODEL = "workflow-agent-model";
const KEY = "workflow-agent-model-key";
const OTHER = "";

/** Return the model that was chosen in this tab, or null. */
export const chosenModel = () => sessionStorage.getItem(MODEL);

/** Return what a message carries so that the chosen model answers it. */
export function modelOf() {
  const [model, key] = [chosenModel(), sessionStorage.getItem(KEY)];
  return { body: model ? { model } : {}, headers: model && key ? { "X-Model-Key": key } : {} };
}

function choose(model, key) {
  for (const [name, value] of [[MODEL, model], [KEY, model && key]]) {
    if (value) sessionStorage.setItem(name, value);
    else sessionStorage.removeItem(name);
  }
}

/** Open the window that tells who answers, and lets another model be chosen; `about` is what `/health` says. */
export async function modelDialog(about, chosen) {
  if (!about) {
    windowed("Who answers", h("p", {}, "The server does not answer. It may be starting again; what you wrote stays here."));
    return;
  }
  const { items, default: usual, takes_keys: takesKeys } = await ask("/api/v1/models");
  const now = chosenModel();
  const pick = h("select", { id: "model-choice" }, ...items.map((name) => h("option", { value: name, selected: name === (now ?? usual) }, spokenModel(name))),
    takesKeys ? h("option", { value: OTHER, selected: now !== null && !items.includes(now) }, "Another, with a key of mine") : null);
  const name = h("input", { type: "text", id: "model-name", autocomplete: "off", spellcheck: "false", placeholder: "openai:gpt-5 or anthropic:claude-sonnet-4-5", pattern: "(openai|openai-chat|openai-responses|anthropic):.+", title: "openai: or anthropic:, and the model's name", maxlength: 200, value: items.includes(now) ? "" : now ?? "" });
  const key = h("input", { type: "password", id: "model-key", autocomplete: "off", maxlength: 255, value: sessionStorage.getItem(KEY) ?? "" });
  const own = h("div", { className: "own-model" }, h("label", { for: "model-name" }, "Model"), name, h("label", { for: "model-key" }, "Key of its provider"), key,
    h("p", { className: "quiet" }, "The key goes with each message of this tab. Neither this page nor the server keeps it: it is gone when you close the tab."));
  const settle = () => { own.hidden = pick.value !== OTHER; for (const one of [name, key]) one.required = !own.hidden; };
  const isOnly = items.length === 1 && !takesKeys;
  const form = h("form", { className: "model-form", onsubmit: (event) => { event.preventDefault(); take(); } },
    h("p", {}, told(now ?? usual)), isOnly ? null : [h("label", { for: "model-choice" }, "Answers in this tab"), pick], takesKeys ? own : null,
    isOnly ? h("p", { className: "quiet" }, "This server has no other. Start it with a language model and its provider's key to choose one:", h("code", { className: "code-line" }, "WORKFLOW_AGENT_MODEL=openai:gpt-5 OPENAI_API_KEY=… workflow-agent serve")) : null,
    isOnly ? null : h("div", { className: "dialog-buttons" }, now ? button("undo", "As the server does", () => done(null), { quiet: false, className: "is-plain" }) : null, h("button", { type: "submit", className: "button is-main" }, "Use it")),
    h("p", { className: "quiet" }, `Version ${about.version}`));
  const box = windowed("Who answers", h("div", {}, form));
  function done(model, secret) { choose(model, secret); box.close(); chosen(); }
  function take() {
    if (pick.value === OTHER) done(name.value.trim(), key.value.trim());
    else done(pick.value === usual ? null : pick.value);
  }
  pick.addEventListener("change", settle);
  settle();
  if (!isOnly) pick.focus();
}

function told(model) {
  return model === "offline" ? "Fixed rules inside this program answer. They create, find, change and check workflows from plain English, cost nothing and send nothing anywhere; they are exact but not clever."
    : `${model} answers. What you say, and the parts of workflows that it needs, are sent to its provider.`;
}

/** Return a model's name as people read it. */
export const spokenModel = (name) => (name === "offline" ? "Fixed rules, no AI model" : name);
