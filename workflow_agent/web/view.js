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

  fill(byId("open-side"), icon("menu"));
  fill(byId("close-side"), icon("close"));
  fill(toggle, icon("panel"));

  const isSide = () => frame.classList.contains("side-open");
  const isPanel = () => !frame.classList.contains("panel-closed");
  function settle() {
    const over = (slim.matches && isSide()) || (narrow.matches && isPanel());
    veil.hidden = !over;
    toggle.setAttribute("aria-expanded", String(isPanel()));
    byId("open-side").setAttribute("aria-expanded", String(isSide()));
    byId("side").inert = (slim.matches && !isSide()) || (narrow.matches && isPanel());
    byId("panel").inert = !isPanel();
    byId("chat").inert = over;
    panel.seen(isPanel());
  }
  function set(name, isOn, focus) {
    frame.classList.toggle(name, isOn);
    settle();
    focus?.focus();
  }
  const view = {
    openSide() { if (slim.matches) { back = document.activeElement; set("side-open", true, byId("search")); } },
    closeSide() { if (isSide()) set("side-open", false, back); },
    openPanel() { if (narrow.matches) back = document.activeElement; set("panel-closed", false, narrow.matches ? byId("panel").querySelector(".tab[tabindex='0'], .tab") : null); if (!narrow.matches) localStorage.setItem(SEEN, "open"); },
    closePanel() { set("panel-closed", true, narrow.matches ? back ?? toggle : toggle); if (!narrow.matches) localStorage.setItem(SEEN, "closed"); },
  };
  toggle.addEventListener("click", () => (isPanel() ? view.closePanel() : view.openPanel()));
  byId("open-side").addEventListener("click", view.openSide);
  byId("close-side").addEventListener("click", view.closeSide);
  veil.addEventListener("click", () => { view.closeSide(); if (narrow.matches) view.closePanel(); });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || veil.hidden) return;
    if (isSide()) view.closeSide();
    else view.closePanel();
  });
  const arrange = () => { frame.classList.toggle("panel-closed", narrow.matches || localStorage.getItem(SEEN) === "closed"); frame.classList.remove("side-open"); settle(); };
  narrow.addEventListener("change", arrange);
  slim.addEventListener("change", settle);
  arrange();
  return view;
}
