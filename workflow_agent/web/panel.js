// The details beside the chat, in tabs: one is loaded when it is looked at.

import { button, fill, h } from "./dom.js";

export class Panel {
  constructor(element, tabs, close) {
    this.tabs = tabs;
    this.stale = new Set();
    const names = Object.keys(tabs);
    this.buttons = new Map(names.map((name) => [name, h("button", {
      type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `pane-${name}`, className: "tab",
      onclick: () => this.open(name), onkeydown: (event) => this.#walk(event, names),
    }, tabs[name].title)]));
    this.panes = new Map(names.map((name) => [name, h("div", { className: `pane pane-${name}`, role: "tabpanel", id: `pane-${name}`, "aria-labelledby": `tab-${name}`, tabIndex: 0 }, tabs[name].element)]));
    fill(element, h("div", { className: "panel-head" }, h("div", { className: "tabs", role: "tablist", "aria-label": "Details" }, ...this.buttons.values()),
      button("close", "Close the details", close, { className: "close-panel" })), ...this.panes.values());
    this.open(names[0]);
  }

  /** Show a tab. */
  open(name) {
    this.current = name;
    for (const [other, tab] of this.buttons) {
      tab.setAttribute("aria-selected", String(other === name));
      tab.tabIndex = other === name ? 0 : -1;
      this.panes.get(other).hidden = other !== name;
    }
    this.#refresh();
  }

  /** Say that something changed: the open tab loads now, the others when they are opened. */
  changed(names = Object.keys(this.tabs)) {
    for (const name of names) this.stale.add(name);
    this.#refresh();
  }

  #refresh() {
    if (this.isHidden || !this.stale.delete(this.current)) return;
    const name = this.current;
    this.tabs[name].load().catch((error) => {
      fill(this.tabs[name].element, h("p", { className: "nothing", role: "alert" }, error.message));
    });
  }

  /** Say whether anybody sees the panel. */
  seen(isSeen) {
    this.isHidden = !isSeen;
    if (isSeen) this.#refresh();
  }

  #walk(event, names) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = names[(names.indexOf(this.current) + step + names.length) % names.length];
    this.open(next);
    this.buttons.get(next).focus();
  }
}
