// Puts the page together.

import { Attachments } from "./attachments.js";
import { ask, onKeyNeeded, query } from "./api.js";
import { Chat } from "./chat.js";
import { Composer } from "./composer.js";
import { ContextTab } from "./context_tab.js";
import { button, fill, h, icon } from "./dom.js";
import { JsonTab } from "./json_tab.js";
import { askForKey } from "./key_dialog.js";
import { Panel } from "./panel.js";
import { RunTab } from "./run_tab.js";
import { TalkMenu } from "./talk_menu.js";
import { Talks } from "./talks.js";
import { installTheme } from "./theme.js";
import { Thread } from "./thread.js";
import { installView } from "./view.js";
import { welcome } from "./welcome.js";
import { WorkflowTab } from "./workflow_tab.js";

const byId = (id) => document.getElementById(id);
const WRITES = new Set(["created", "modified", "restored", "imported"]);

onKeyNeeded(askForKey);
installTheme(byId("theme"));
fill(byId("new-chat").querySelector(".slot"), icon("plus"));
fill(document.querySelector(".search .slot"), icon("search"));

let notice;
function announce(words, isBad = false) {
  notice?.remove();
  notice = h("div", { className: isBad ? "notice is-bad" : "notice", role: isBad ? "alert" : "status" }, words, button("close", "Dismiss", () => notice.remove()));
  byId("chat").append(notice);
  if (!isBad) setTimeout((shown) => shown.remove(), 10000, notice);
}

const agents = async () => (await ask("/api/v1/agents")).items.map((one) => ({ id: one.name, name: one.name, about: one.description }));
const workflows = async (begun) => (await ask(`/api/v1/workflows${query({ called: begun })}`)).items.map((one) => ({ id: one.id, name: one.name, about: one.description || one.id }));

let turn = null;
const talks = new Talks(byId("talks"), byId("search"));
const conversationId = () => chat.id;
const workflowTab = new WorkflowTab({ say: (word) => chat.say(word), announce, looked: () => panel.changed(["json"]) });
const runTab = new RunTab({ conversationId });
const panel = new Panel(byId("panel"), {
  workflow: workflowTab, context: new ContextTab({ conversationId, announce }), run: runTab,
  json: new JsonTab({ conversationId, workflowId: () => workflowTab.id, turn: () => turn }),
}, () => view.closePanel());
const view = installView(panel);

const thread = new Thread(byId("thread"), {
  conversationId,
  retry: (of) => chat.retry(of).catch((error) => announce(error.message, true)),
  inspect(of) { look(of); panel.changed(["run", "json"]); panel.open("run"); view.openPanel(); },
  decide: (word) => chat.say(word),
  edit: (message) => composer.edit(message),
  openWorkflow(id, preview) {
    workflowTab.look(id, preview ?? null);
    panel.changed(["workflow", "json"]);
    panel.open("workflow");
    view.openPanel();
  },
});

const chat = new Chat({
  thread,
  announcer: byId("announcer"),
  on: {
    busy: (isBusy) => composer.busy(isBusy),
    async branched(id) {
      history.pushState(null, "", id ? `#/c/${encodeURIComponent(id)}` : "#/");
      await go();
      talks.load().then(() => talks.mark(id));
    },
    created(id) { menu.show(true); history.replaceState(null, "", `#/c/${encodeURIComponent(id)}`); title(id); talks.load().then(() => talks.mark(id)); },
    loaded(events) { for (const event of [...events].reverse()) if (event.type === "agent_reply") met(event); panel.changed(); },
    completed(reply) { met(reply); panel.changed(); talks.load().then(() => title(reply.conversation_id)); },
  },
});
const composer = new Composer(byId("composer"), {
  // In a new conversation the workflow that is looked at is what is spoken of.
  say: (text, options, turn) => say(text, !chat.id && workflowTab.id ? { workflow_id: workflowTab.id, ...options } : options, turn),
  stop: () => chat.stop(), agents, workflows,
  files: new Attachments(byId("chat"), (words) => announce(words, true)),
});
const menu = new TalkMenu(byId("talk-menu"), {
  conversationId, title: () => byId("title").textContent, announce,
  on: {
    async renamed(id) { await talks.load(); await title(id); },
    branched(id) { location.hash = `#/c/${encodeURIComponent(id)}`; talks.load(); },
    deleted(id) { if (chat.id === id) { history.replaceState(null, "", "#/"); go(); } talks.load(); },
  },
});

function say(text, options, turn) { return (turn ? chat.branch(turn, text, options).catch((error) => { composer.write(text); announce(error.message, true); }) : chat.say(text, options)); }

/** Take in what a reply tells about workflows and itself. */
function met(reply) {
  look(reply.turn);
  const touches = reply.workflows_touched ?? [];
  workflowTab.remember(touches);
  const last = touches.filter((touch) => WRITES.has(touch.change)).at(-1) ?? touches.filter((touch) => touch.change !== "deleted").at(-1);
  const id = reply.preview?.workflow_id ?? last?.id;
  if (id) workflowTab.look(id, reply.preview);
  else workflowTab.preview = null;
}

function look(of) { turn = of; runTab.look(of); }

async function title(id) {
  const heading = byId("title");
  if (!id) { heading.textContent = "New conversation"; document.title = "workflow_agent"; return; }
  const among = (items) => items?.find((one) => one.id === id);
  const found = among(talks.items) ?? await ask(`/api/v1/conversations${query({ limit: 200 })}`).then(({ items }) => among(items)).catch(() => null);
  if (chat.id !== id) return;
  heading.textContent = found?.title || id;
  document.title = `${heading.textContent} · workflow_agent`;
}

async function go() {
  const wanted = new URLSearchParams(`id=${/^#\/c\/(.+)$/.exec(location.hash)?.[1] ?? ""}`).get("id") || null;
  if (wanted && wanted === chat.id) return;
  view.closeSide();
  composer.edit(null);
  workflowTab.forget();
  look(null);
  talks.mark(wanted);
  menu.show(Boolean(wanted));
  if (!wanted) {
    chat.leave();
    thread.welcome(welcome((text) => { composer.write(text); composer.focus(); }));
    title(null);
    panel.changed();
    composer.focus();
    return;
  }
  const opened = chat.open(wanted);
  title(null);
  title(wanted);
  await opened.catch((error) => gone(error, wanted));
}

/** Say that a conversation cannot be shown; what is written next begins a new one. */
function gone(error, id) {
  if (chat.id !== id) return;
  chat.leave();
  menu.show(false);
  panel.changed();
  thread.welcome(h("div", { className: "blank" }, icon("alert"), h("p", {}, error.message), h("a", { href: "#/" }, "Begin a new conversation")));
}

function begin() { if (location.hash === "#/") go(); else location.hash = "#/"; composer.focus(); }

byId("new-chat").addEventListener("click", begin);
addEventListener("hashchange", go);
addEventListener("keydown", (event) => {
  if (event.altKey && event.code === "KeyN") { event.preventDefault(); begin(); }
  if (event.altKey && event.code === "KeyK") { event.preventDefault(); view.openSide(); byId("search").focus(); }
  if (event.key === "/" && event.target === document.body) { event.preventDefault(); composer.focus(); }
});
ask("/health").then(({ model, version }) => { byId("model").textContent = `Model: ${model}`; byId("model").title = `Version ${version}, answering with ${model}`; }).catch(() => {});
talks.load().then(() => talks.mark(chat.id));
go();
