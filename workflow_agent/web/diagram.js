// A drawn workflow, rebuilt from its SVG: only shapes and text pass, so that a name can never act.

const SVG = "http://www.w3.org/2000/svg";
const ELEMENTS = new Set(["svg", "g", "path", "rect", "circle", "ellipse", "line", "polygon", "polyline", "text", "tspan", "title", "desc"]);
const ATTRIBUTES = new Set(["viewBox", "width", "height", "class", "role", "d", "x", "y", "cx", "cy", "r", "rx", "ry", "x1", "x2", "y1", "y2", "points", "transform", "text-anchor", "dominant-baseline", "data-step", "data-folded", "data-transition", "data-from", "data-to"]);

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
