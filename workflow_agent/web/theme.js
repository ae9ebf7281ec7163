// Light, dark, or as the system has it.

import { fill, icon } from "./dom.js";

const NAME = "workflow-agent-theme";
const NEXT = { auto: "light", light: "dark", dark: "auto" };
const ICONS = { auto: "auto", light: "sun", dark: "moon" };
const SAID = { auto: "as the system", light: "light", dark: "dark" };

/** Make a button change the theme, and set the one that was chosen before. */
export function installTheme(button) {
  const show = (theme) => {
    document.documentElement.dataset.theme = theme;
    fill(button, icon(ICONS[theme]));
    button.setAttribute("aria-label", `Theme: ${SAID[theme]}. Change it`);
    button.title = `Theme: ${SAID[theme]}`;
  };
  const chosen = localStorage.getItem(NAME);
  let theme = chosen in NEXT ? chosen : "auto";
  show(theme);
  button.addEventListener("click", () => {
    theme = NEXT[theme];
    localStorage.setItem(NAME, theme);
    show(theme);
  });
}
