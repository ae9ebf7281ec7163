// Puts the page together.

import { Attachments } from "./attachments.js";
import { ask, onKeyNeeded, query } from "./api.js";
import { Chat } from "./chat.js";
import { Composer } from "./composer.js";
import { ContextTab } from "./context_tab.js";
import { importDialog } from "./exchange.js";
import { button, fill, h, icon } from "./dom.js";
import { Hand } from "./hand.js";
import { JsonTab } from "./json_tab.js";
import { askForKey } from "./key_dialog.js";
import { Library, newWorkflow } from "./library.js";
import { openMemory } from "./memory.js";
import { openPalette } from "./palette.js";
import { Panel } from "./panel.js";
import { installStatus } from "./status.js";
import { RunTab } from "./run_tab.js";
import { TalkMenu } from "./talk_menu.js";
import { Talks } from "./talks.js";
import { installTheme } from "./theme.js";
import { Thread } from "./thread.js";
import { installCount, Waiting } from "./waiting.js";
import { installView } from "./view.js";
import { Webhooks } from "./webhooks.js";
import { welcome } from "./welcome.js";
import { WorkflowTab } from "./workflow_tab.js";

const byId = (id) => document.getElementById(id);
const WRITES = new Set(["created", "modified", "restored", "imported"]);

onKeyNeeded(askForKey);
installTheme(byId("theme"));
fill(byId("new-chat").querySelector(".slot"), icon("plus"));
fill(document.querySelector(".search .slot"), icon("search"));

let notice;
function announce(words, isBad = false, offer = null) {
  notice?.remove();
  const act = offer ? h("button", { type: "button", className: "notice-act", onclick: () => { notice.remove(); offer.act(); } }, offer.words) : null;
  notice = h("div", { className: isBad ? "notice is-bad" : "notice", role: isBad ? "alert" : "status" }, h("span", {}, words), act, button("close", "Dismiss", () => notice.remove()));
  view.seen().append(notice);
  if (!isBad) setTimeout((shown) => shown.remove(), 10000, notice);
}

const agents = async () => (await ask("/api/v1/agents")).items.map((one) => ({ id: one.name, name: one.name, about: one.description }));
const workflows = async (begun) => (await ask(`/api/v1/workflows${query({ called: begun })}`)).items.map((one) => ({ id: one.id, name: one.name, about: one.description || one.id }));

let turn = null;
const talks = new Talks(byId("talks"), byId("search"));
const conversationId = () => chat.id;
const hand = new Hand({
  announce, conversationId,
  async done(made) {
    if (made) thread.happened(made);
    await workflowTab.load();
    panel.changed(["json"]);
  },

});
const workflowTab = new WorkflowTab({
  say: (word) => chat.say(word), announce, hand, looked: () => { panel.changed(["json"]); chip(); },
  ask(words) { leaveFull(); view.showChat(); composer.write(words); composer.focus(); },
  full: () => (view.isFull() ? leaveFull() : goFull()), all: () => { location.hash = "#/workflows"; },
});
const runTab = new RunTab({ conversationId });
const panel = new Panel(byId("panel"), {
  workflow: workflowTab, context: new ContextTab({ conversationId, announce }), run: runTab,
  json: new JsonTab({ conversationId, workflowId: () => workflowTab.id, turn: () => turn }),
}, () => view.closePanel());
const view = installView(panel);

const thread = new Thread(byId("thread"), {
  conversationId, announce,
  retry: (of) => chat.retry(of).catch((error) => announce(error.message, true)),
  inspect(of) { look(of); panel.changed(["run", "json"]); panel.open("run"); view.openPanel(); },
  decide: (word) => chat.say(word),
  edit: (message) => composer.edit(message),
  openWorkflow(id, preview) {
    workflowTab.look(id, preview ?? null);
    panel.changed(["workflow", "json"]);
    panel.open("workflow");
    view.openPanel();
    chip();
  },
});
const waiting = new Waiting(byId("waiting"), {
  announce: (...given) => announce(...given), open: openWorkflow, openSide: () => view.openSide(),
  changed() { recount(); workflowTab.load().catch(() => {}); },
});
const recount = installCount(byId("waiting-link"));
const library = new Library(byId("library"), { announce: (...given) => announce(...given), open: openWorkflow, openSide: () => view.openSide() });
const webhooks = new Webhooks(byId("webhooks"), { announce: (...given) => announce(...given), openSide: () => view.openSide() });
/** The parts of the page that stand in place of the conversation, by their addresses. */
const pages = { workflows: library, waiting, webhooks };

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
    completed(reply) { recount(); met(reply); panel.changed(); talks.load().then(() => title(reply.conversation_id)); },
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
  chip();
}

/** Keep the workflow that is looked at one visible press away. */
function chip() {
  const name = workflowTab.known.get(workflowTab.id) ?? (workflowTab.id ? "Workflow" : null);
  byId("open-workflow").hidden = !name;
  if (name) fill(byId("open-workflow"), icon("flow"), h("span", {}, name));
}

function openWorkflow(id) { location.hash = `#/w/${encodeURIComponent(id)}`; if (location.hash.startsWith("#/w/")) go(); }

function goFull() {
  panel.open("workflow");
  view.full(true);
  history.replaceState(null, "", `#/w/${encodeURIComponent(workflowTab.id)}`);
  requestAnimationFrame(() => workflowTab.graph.fitOrStay());
}

function leaveFull() {
  if (!view.isFull()) return;
  view.full(false);
  history.replaceState(null, "", chat.id ? `#/c/${encodeURIComponent(chat.id)}` : "#/");
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

/** Return which part of the page the address names, and of what. */
function route() {
  const [, part, id] = /^#\/(c|w|workflows|waiting|webhooks)(?:\/(.+))?$/.exec(location.hash) ?? [];
  return [part ?? "c", new URLSearchParams(`id=${id ?? ""}`).get("id") || null];
}

async function go() {
  const [part, wanted] = route();
  for (const name of Object.keys(pages)) if (name === part) byId(`${name}-link`).setAttribute("aria-current", "page"); else byId(`${name}-link`).removeAttribute("aria-current");
  if (pages[part]) { view.closeSide(); view.page(pages[part].element.id); await pages[part].show(); return; }
  view.page("talk");
  if (part === "w" && wanted) { await goToWorkflow(wanted); return; }
  view.full(false);
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

/** Show a workflow in the whole window; the conversation stays as it is behind it. */
async function goToWorkflow(id) {
  if (!chat.id && !thread.element.firstChild) thread.welcome(welcome((text) => { composer.write(text); composer.focus(); }));
  view.closeSide();
  workflowTab.look(id);
  panel.open("workflow");
  view.full(true);
  panel.changed(["json"]);
  panel.stale.delete("workflow");
  await workflowTab.load().catch((error) => announce(error.message, true));
  chip();
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

const COMMANDS = () => [
  { icon: "plus", words: "New conversation", keys: "Alt N", act: begin },
  { icon: "list", words: "All workflows", act: () => { location.hash = "#/workflows"; } },
  { icon: "history", words: "Waiting changes", act: () => { location.hash = "#/waiting"; } },
  { icon: "out", words: "Webhooks", act: () => { location.hash = "#/webhooks"; } },
  { icon: "flow", words: "New workflow", act: () => newWorkflow().then((id) => id && openWorkflow(id)).catch((error) => announce(error.message, true)) },
  { icon: "take", words: "Import a workflow", act: () => importDialog({ announce, open: openWorkflow }) },
  ...(workflowTab.id ? [
    { icon: "full", words: view.isFull() ? "Leave full screen" : "Show the workflow in full screen", keys: "F", act: () => (view.isFull() ? leaveFull() : goFull()) },
    { icon: "play", words: "Play a case through this workflow", keys: "P", act: () => { panel.open("workflow"); view.openPanel(); workflowTab.play(); } },
    { icon: "history", words: "Versions of this workflow", act: () => workflowTab.openVersions() },
    { icon: "share", words: "Export this workflow", act: () => workflowTab.openExport() },
    { icon: "undo", words: "Take the last change back", keys: "Ctrl Z", act: () => hand.undo(workflowTab.workflow) },
  ] : []),
  { icon: "chat", words: "Choose the model that answers", act: () => chooseModel() },
  { icon: "history", words: "What is remembered of you", act: remembered },
  { icon: "auto", words: "Change the theme", act: () => byId("theme").click() },
];
function remembered() { openMemory({ announce }); }
const palette = () => openPalette(COMMANDS(), { openWorkflow, openTalk: (id) => { location.hash = `#/c/${encodeURIComponent(id)}`; } });

fill(byId("memory"), icon("history"));
byId("memory").addEventListener("click", remembered);
fill(byId("open-palette"), icon("command"));
for (const [name, sign] of [["workflows", "list"], ["waiting", "history"], ["webhooks", "out"]]) fill(byId(`${name}-link`).querySelector(".slot"), icon(sign));
byId("open-palette").addEventListener("click", palette);
byId("open-workflow").addEventListener("click", () => { panel.open("workflow"); view.openPanel(); });
byId("new-chat").addEventListener("click", begin);
addEventListener("hashchange", go);
addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") { event.preventDefault(); palette(); }
  if (event.altKey && event.code === "KeyN") { event.preventDefault(); begin(); }
  if (event.altKey && event.code === "KeyK") { event.preventDefault(); view.openSide(); byId("search").focus(); }
  if (event.key === "/" && event.target === document.body) { event.preventDefault(); composer.focus(); }
});
const chooseModel = installStatus(byId("model"), announce);
talks.load().then(() => talks.mark(chat.id));
go();
