// The small map of a large graph: where each step is, and which part is seen.

import { s } from "./dom.js";

const SIZE = { width: 168, height: 112 };
/** Up to so many steps are found without a map, which would lie on some of them. */
const FEW_STEPS = 12;

export class GraphMap {
  /** `centre` is called with the point of the drawing that somebody presses or drags to. */
  constructor(centre) {
    this.element = s("svg", { class: "graph-map", viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, width: SIZE.width, height: SIZE.height, "aria-hidden": "true" });
    const go = (event) => {
      const { left, top, width } = this.element.getBoundingClientRect();
      const by = SIZE.width / width;
      centre({ cx: ((event.clientX - left) * by - this.x) / this.k, cy: ((event.clientY - top) * by - this.y) / this.k });
    };
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      go(event);
      this.element.onpointermove = go;
    });
    for (const name of ["pointerup", "pointercancel"]) this.element.addEventListener(name, () => { this.element.onpointermove = null; });
  }

  /** Draw the steps' boxes; `kinds` are the classes of each. */
  draw(boxes, kinds, { width, height }) {
    this.natural = { width, height };
    this.isNeeded = boxes.size > FEW_STEPS;
    this.k = Math.min(SIZE.width / width, SIZE.height / height);
    this.x = (SIZE.width - width * this.k) / 2;
    this.y = (SIZE.height - height * this.k) / 2;
    const steps = [...boxes].map(([id, box]) => s("rect", {
      x: this.x + box.x * this.k, y: this.y + box.y * this.k, width: Math.max(box.width * this.k, 2), height: Math.max(box.height * this.k, 1.5),
      class: kinds(id).split(" ").map((one) => `map-${one}`).join(" "),
    }));
    this.window = s("rect", { class: "map-view" });
    this.element.replaceChildren(...steps, this.window);
  }

  /** Show which part is seen; nothing where that is all of it, or where there is little of it. */
  show({ x, y, k }, { clientWidth: width, clientHeight: height }) {
    if (!this.window) return;
    const isWhole = x >= -1 && y >= -1 && x + this.natural.width * k <= width + 1 && y + this.natural.height * k <= height + 1;
    this.element.toggleAttribute("hidden", isWhole || !this.isNeeded);
    const place = { x: this.x - (x / k) * this.k, y: this.y - (y / k) * this.k, width: (width / k) * this.k, height: (height / k) * this.k };
    for (const [name, value] of Object.entries(place)) this.window.setAttribute(name, value.toFixed(1));
  }
}
