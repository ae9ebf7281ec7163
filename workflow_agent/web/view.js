// Which parts of the page are seen: the list and the details give way where there is little room.

import { fill, icon } from "./dom.js";

const SEEN = "workflow-agent-panel";

/** Make the page's parts open and close; returns how to do it. */
export function installView(panel) {
  const byId = (id) => document.getElementById(id);
  const frame = byId("frame");
  const veil = byId("veil");
  const narrow = matchMedia("(max-width: 1099px)");
  const slim = matchMedia("(max-width: 819px)");
  const toggle = byId("toggle-panel");
  let back = null;
  let page = "talk";

  fill(byId("open-side"), icon("menu"));
  fill(byId("close-side"), icon("close"));
  fill(toggle, icon("panel"));

  const isFull = () => frame.classList.contains("is-full");
  const isLibrary = () => frame.classList.contains("is-library");
  const isSide = () => frame.classList.contains("side-open");
  const isPanel = () => !frame.classList.contains("panel-closed");
  function settle() {
    const over = (slim.matches && isSide()) || (narrow.matches && isPanel() && !isFull() && !isLibrary());
    veil.hidden = !over;
    toggle.setAttribute("aria-expanded", String(isPanel()));
    byId("open-side").setAttribute("aria-expanded", String(isSide()));
    for (const name of ["library", "waiting", "webhooks"]) byId(name).hidden = !isLibrary() || page !== name;
    byId("side").inert = isFull() || (slim.matches && !isSide()) || (narrow.matches && isPanel() && !isLibrary());
    byId("panel").inert = !isPanel();
    byId("panel").setAttribute("role", isFull() ? "main" : "complementary");
    byId("chat").inert = over || isFull() || isLibrary();
    panel.seen(isPanel());
  }
  function set(name, isOn, focus) {
    frame.classList.toggle(name, isOn);
    settle();
    focus?.focus();
  }
  const view = {
    /** Show the conversation (`talk`), or one of the pages that stand in its place. */
    page(name) { page = name; frame.classList.toggle("is-library", name !== "talk"); if (name !== "talk") frame.classList.remove("is-full"); settle(); },
    /** Give the workflow the whole window, or take it back. */
    full(isOn) {
      if (isOn === isFull()) return;
      if (isOn) { view.wasOpen = isPanel(); frame.classList.remove("panel-closed"); }
      else if (!view.wasOpen) frame.classList.add("panel-closed");
      frame.classList.toggle("is-full", isOn);
      settle();
    },
    isFull,
    /** Return the part that is seen, where a notice can stand. */
    seen() { return byId(isLibrary() ? page : isFull() || (narrow.matches && isPanel()) ? "panel" : "chat"); },
    openSide() { if (slim.matches) { back = document.activeElement; set("side-open", true, byId("search")); } },
    closeSide() { if (isSide()) set("side-open", false, back); },
    openPanel() { if (narrow.matches) back = document.activeElement; set("panel-closed", false, narrow.matches ? byId("panel").querySelector(".tab[tabindex='0'], .tab") : null); if (!narrow.matches) localStorage.setItem(SEEN, "open"); },
    /** Show the conversation where the details cover it. */
    showChat() { if (narrow.matches && isPanel()) view.closePanel(); },
    closePanel() { set("panel-closed", true, narrow.matches ? back ?? toggle : toggle); if (!narrow.matches) localStorage.setItem(SEEN, "closed"); },
  };
  toggle.addEventListener("click", () => (isPanel() ? view.closePanel() : view.openPanel()));
  byId("open-side").addEventListener("click", view.openSide);
  byId("close-side").addEventListener("click", view.closeSide);
  veil.addEventListener("click", () => { view.closeSide(); if (narrow.matches) view.closePanel(); });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || veil.hidden || event.defaultPrevented) return;
    if (isSide()) view.closeSide();
    else view.closePanel();
  });
  const arrange = () => { frame.classList.toggle("panel-closed", !isFull() && (narrow.matches || localStorage.getItem(SEEN) === "closed")); frame.classList.remove("side-open"); settle(); };
  narrow.addEventListener("change", arrange);
  slim.addEventListener("change", settle);
  arrange();
  return view;
}
