// Elements made of data: text is always text, so nothing that came from outside becomes markup.

const SVG = "http://www.w3.org/2000/svg";
const PROPERTIES = new Set(["textContent", "value", "checked", "disabled", "hidden", "className", "tabIndex", "open", "selected"]);

/** Return an element; `on…` are listeners, a few names are properties, the rest are attributes. */
export function h(name, props = {}, ...children) {
  return filled(document.createElement(name), props, children);
}

/** Return an SVG element. */
export function s(name, props = {}, ...children) {
  return filled(document.createElementNS(SVG, name), props, children);
}

function filled(element, props, children) {
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (PROPERTIES.has(key) && element.namespaceURI !== SVG) element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(4).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const PATHS = {
  plus: "M8 3v10M3 8h10",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.7 10.7 14 14",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h7",
  close: "m4 4 8 8M12 4l-8 8",
  panel: "M2.5 3.5h11v9h-11zM9.5 3.5v9",
  send: "M8 13V3.5M3.8 7.6 8 3.4l4.2 4.2",
  stop: "M5 5h6v6H5z",
  sun: "M8 10.8A2.8 2.8 0 1 0 8 5.2a2.8 2.8 0 0 0 0 5.6ZM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7",
  moon: "M13 9.6A5.6 5.6 0 0 1 6.4 3a5.6 5.6 0 1 0 6.6 6.6Z",
  auto: "M8 2.5a5.5 5.5 0 1 0 0 11ZM8 2.5a5.5 5.5 0 0 1 0 11",
  chevron: "m6 4 4 4-4 4",
  check: "m3.5 8.5 3 3 6-7",
  cross: "m4.5 4.5 7 7M11.5 4.5l-7 7",
  retry: "M13 8a5 5 0 1 1-1.5-3.6M13 2v3h-3",
  edit: "M10.5 3.2 12.8 5.5 6 12.3l-3 .7.7-3z",
  up: "M2.5 7.5h2.5v5.5H2.5zM5 7.5 8 2.5c1.2 0 1.8.9 1.5 2L9 6.5h3.2c.9 0 1.5.8 1.3 1.7l-.9 3.6c-.2.7-.7 1.2-1.4 1.2H5",
  down: "M2.5 8.5h2.5V3H2.5zM5 8.5l3 5c1.2 0 1.8-.9 1.5-2L9 9.5h3.2c.9 0 1.5-.8 1.3-1.7l-.9-3.6C12.4 3.5 11.9 3 11.2 3H5",
  copy: "M5.5 5.5h7v7h-7zM3.5 10.5v-7h7",
  look: "M1.8 8S4 3.8 8 3.8 14.2 8 14.2 8 12 12.2 8 12.2 1.8 8 1.8 8ZM8 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6Z",
  undo: "M4.5 6.5h5a3 3 0 0 1 0 6H6M6.8 3.8 4 6.5l2.8 2.7",
  clip: "m12.5 7.3-4.9 4.9a2.9 2.9 0 0 1-4.1-4.1l5.3-5.3a1.9 1.9 0 0 1 2.7 2.7L6.3 10.7a.9.9 0 0 1-1.3-1.3l4.6-4.6",
  alert: "M8 2.2 14.4 13.4H1.6ZM8 6.5v3M8 11.5v.1",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  list: "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01",
  back: "M9.5 3.5 5 8l4.5 4.5",
  minus: "M3 8h10",
  fit: "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3",
  full: "M9.5 2.5h4v4M13.5 2.5 9 7M6.5 13.5h-4v-4M2.5 13.5 7 9",
  history: "M2.6 8a5.4 5.4 0 1 0 1.7-3.9L2.5 5.8M2.5 2.8v3h3M8 5v3.2l2.2 1.3",
  share: "M8 10V2.5M5 5l3-2.7L11 5M3.5 8.5v4.5h9V8.5",
  take: "M8 2.5V10M5 7.3 8 10l3-2.7M3.5 11v2.5h9V11",
  trash: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5",
  connect: "M5 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM6.5 8.7 10 5.2M11.5 5.5a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6Z",
  chat: "M2.5 3.5h11v7.5H7l-3 2.5V11H2.5z",
  lanes: "M2.5 2.5h11v11h-11zM6.2 2.5v11M9.8 2.5v11",
  fold: "M4 2.5 8 6l4-3.5M4 13.5 8 10l4 3.5",
  unfold: "M4 5.5 8 2l4 3.5M4 10.5 8 14l4-3.5",
  out: "M6.5 3.5h-3v9h9v-3M9.5 3.5h3v3M12.5 3.5l-5 5",
  play: "M5 3.2v9.6l7.5-4.8z",
  file: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  command: "M6 6H4.5A1.5 1.5 0 1 1 6 4.5v7A1.5 1.5 0 1 1 4.5 10h7A1.5 1.5 0 1 1 10 11.5v-7A1.5 1.5 0 1 1 11.5 6Z",
  flow: "M3 3h4v3H3zM9 10h4v3H9zM5 6v5.5h4M11 10V4.5H7",
};

/** Return a line icon; it says nothing to screen readers, its button does. */
export function icon(name) {
  return s("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" }, s("path", { d: PATHS[name] }));
}

/** Return a button of an icon and its words; a quiet one shows the icon alone. */
export function button(name, words, onclick, { quiet = true, className = "", title = words } = {}) {
  const inside = quiet ? [icon(name)] : [icon(name), words];
  const props = { type: "button", className: quiet ? `icon-button ${className}` : `button ${className}`, onclick };
  return h("button", quiet ? { ...props, "aria-label": words, title } : props, ...inside);
}

/** Put nodes in place of whatever an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(4).filter(Boolean));
  return element;
}

/** Return a function that waits for a pause before it calls. */
export function afterPause(call, ms) {
  let timer;
  return (...given) => { clearTimeout(timer); timer = setTimeout(() => call(...given), ms); };
}
