// A drawn workflow, rebuilt from its SVG: only shapes and text pass, so that a name can never act.

const SVG = "http://www.w3.org/2000/svg";
const ELEMENTS = new Set(["svg", "g", "path", "rect", "circle", "ellipse", "line", "polygon", "polyline", "text", "tspan", "title", "desc"]);
const ATTRIBUTES = new Set(["viewBox", "width", "height", "class", "role", "d", "x", "y", "cx", "cy", "r", "rx", "ry", "x1", "x2", "y1", "y2", "points", "transform", "text-anchor", "dominant-baseline", "data-step"]);

/** Return a drawing as elements of this page, or null where the text is no SVG. */
export function drawing(text) {
  // Its own style sheet is for where it stands alone; here the page's applies, and the policy forbids any other.
  const bare = text.replace(/<style>[^<]*<\/style>/, "");
  const root = new DOMParser().parseFromString(bare, "image/svg+xml").documentElement;
  if (root.namespaceURI !== SVG || root.localName !== "svg") return null;
  const made = copy(root);
  const title = root.querySelector("title")?.textContent ?? "Workflow";
  made.setAttribute("aria-label", `${title}. ${root.querySelector("desc")?.textContent ?? ""}`);
  return made;
}

function copy(node) {
  const made = document.createElementNS(SVG, node.localName);
  for (const { name, value } of node.attributes) if (ATTRIBUTES.has(name)) made.setAttribute(name, value);
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) made.append(child.data);
    else if (child.nodeType === Node.ELEMENT_NODE && child.namespaceURI === SVG && ELEMENTS.has(child.localName)) made.append(copy(child));
  }
  return made;
}

/** Let a drawing be zoomed with the buttons and the wheel, and moved by dragging. */
export class Canvas {
  constructor(element) {
    this.element = element;
    this.scale = 1;
    element.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1);
    }, { passive: false });
    element.addEventListener("pointerdown", (event) => this.#drag(event));
  }

  show(picture) {
    this.picture = picture;
    this.natural = { width: Number(picture.getAttribute("width")), height: Number(picture.getAttribute("height")) };
    this.element.replaceChildren(picture);
    this.fit();
  }

  /** Make the drawing as wide as there is room, never larger than it was drawn. */
  fit() {
    const { clientWidth } = this.element;
    if (this.picture && clientWidth) this.#resize(Math.max(Math.min((clientWidth - 8) / this.natural.width, 1), 0.35));
  }

  zoom(factor) { this.#resize(Math.min(Math.max(this.scale * factor, 0.2), 3)); }

  #resize(scale) {
    this.scale = scale;
    this.picture?.setAttribute("width", this.natural.width * scale);
    this.picture?.setAttribute("height", this.natural.height * scale);
  }

  #drag(start) {
    if (start.pointerType !== "mouse" || start.button !== 0) return;
    const { scrollLeft, scrollTop } = this.element;
    const move = (event) => {
      this.element.scrollLeft = scrollLeft + start.clientX - event.clientX;
      this.element.scrollTop = scrollTop + start.clientY - event.clientY;
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
  }
}
