// A drawn workflow that one can move about in, pick parts of, and connect: by mouse, finger, keys and screen reader.

import { button, fill, h, s } from "./dom.js";
import { GraphMap } from "./graph_map.js";
import { many } from "./words.js";

const LEAST = 0.08;
const MOST = 3;
const READABLE = 0.75;
const AROUND = 24;
const REST_MS = 180;
const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Graph {
  /** `on` says what to do with what is picked or asked for; a graph without `on.connect` is only looked at. */
  constructor({ label = "Diagram", on = {}, readable = READABLE } = {}) {
    this.on = on;
    this.readable = readable;
    this.views = new Map();
    this.view = { x: 0, y: 0, k: 1 };
    this.boxes = new Map();
    this.port = h("div", { className: "canvas graph-port", role: "group", tabIndex: 0, "aria-label": `${label}. Arrow keys go from step to step, plus and minus zoom, 0 shows all.` });
    this.map = new GraphMap((point) => this.centre(point, { smoothly: false }));
    this.tools = h("div", { className: "graph-tools", role: "toolbar", "aria-label": "View" },
      button("plus", "Larger", () => this.zoom(1.25)), button("minus", "Smaller", () => this.zoom(0.8)),
      button("fit", "Show all of it", () => this.fit()), on.full ? button("full", "Full screen", () => on.full()) : null);
    this.element = h("div", { className: "graph" }, this.port, this.map.element, this.tools);
    this.#listen();
    new ResizeObserver(() => this.#resized()).observe(this.port);
  }

  /** Show a drawing. What is looked at stays in place where `key` is shown already; else it begins at what matters most. */
  show(picture, key, { changed = [] } = {}) {
    const isKnown = this.views.has(key);
    const anchor = isKnown && this.key === key ? this.#anchor() : null;
    if (this.key !== undefined) this.views.set(this.key, this.view);
    this.key = key;
    this.picture = picture;
    this.natural = { width: Number(picture.getAttribute("width")), height: Number(picture.getAttribute("height")) };
    picture.removeAttribute("role");
    picture.setAttribute("role", "group");
    fill(this.port, picture);
    this.#measure();
    this.#equip();
    this.map.draw(this.boxes, (id) => this.step(id).getAttribute("class"), this.natural);
    if (isKnown) this.#restore(anchor, key, changed);
    else this.#begin(changed);
    this.select(this.selected, { quietly: true });
  }

  #anchor() {
    const middle = this.#toWorld(this.port.clientWidth / 2, this.port.clientHeight / 2);
    const near = [...this.boxes].map(([id, box]) => [id, box, Math.hypot(box.cx - middle.x, box.cy - middle.y)]).sort((a, b) => a[2] - b[2])[0];
    return near ? { id: near[0], x: near[1].cx, y: near[1].cy } : null;
  }

  #restore(anchor, key, changed) {
    this.view = { ...(this.views.get(key) ?? this.view) };
    const box = anchor && this.boxes.get(anchor.id);
    if (box) {
      this.view.x -= (box.cx - anchor.x) * this.view.k;
      this.view.y -= (box.cy - anchor.y) * this.view.k;
    }
    if (this.view.isFitted) this.fit();
    else this.#apply();
    const news = changed.find((id) => this.boxes.has(id));
    if (news && !this.#isSeen(this.boxes.get(news))) this.reveal(news);
  }

  #begin(changed) {
    this.fit();
    if (this.view.k >= this.readable || !this.boxes.size) return;
    const marked = (selector) => this.port.querySelector(selector)?.closest("[data-step]")?.dataset.step;
    const first = changed.find((id) => this.boxes.has(id)) ?? marked(".halo") ?? marked(".badge.error") ?? marked(".badge.warning") ?? this.boxes.keys().next().value;
    this.view.k = 0.9;
    this.centre(this.boxes.get(first), { smoothly: false });
  }

  /** Show the whole drawing, never larger than it was drawn. */
  fit() {
    const { clientWidth: width, clientHeight: height } = this.port;
    if (!this.picture || !width || !height) return;
    const k = Math.max(Math.min((width - 16) / this.natural.width, (height - 16) / this.natural.height, 1), LEAST);
    this.view = { k, x: (width - this.natural.width * k) / 2, y: (height - this.natural.height * k) / 2 };
    this.view.isFitted = true;
    this.#apply();
  }

  /** Show all of it where that can be read; else stay where one was. */
  fitOrStay() {
    const before = { ...this.view };
    this.fit();
    if (this.view.k >= READABLE) return;
    this.view = before;
    this.#apply();
  }

  /** Make it larger or smaller around a point of the viewport, its middle unless given. */
  zoom(factor, x = this.port.clientWidth / 2, y = this.port.clientHeight / 2) {
    const k = Math.min(Math.max(this.view.k * factor, LEAST), MOST);
    const by = k / this.view.k;
    this.view = { k, x: x - (x - this.view.x) * by, y: y - (y - this.view.y) * by };
    this.view.isFitted = false;
    this.#apply();
  }

  pan(dx, dy) {
    this.view.x += dx;
    this.view.y += dy;
    this.view.isFitted = false;
    this.#apply();
  }

  /** Bring a step into the middle, large enough to read. */
  reveal(id) {
    const box = this.boxes.get(id);
    if (!box) return;
    if (this.view.k < READABLE) { this.view.k = READABLE; this.view.isFitted = false; }
    this.centre(box);
  }

  centre(box, { smoothly = true } = {}) {
    if (!box) return;
    const { port, natural, view } = this;
    // No more empty room at its edges than there has to be.
    const held = (at, size, room) => (size + 32 <= room ? (room - size) / 2 : Math.min(Math.max(at, room - size - 16), 16));
    view.isFitted = false;
    view.x = held(port.clientWidth / 2 - box.cx * view.k, natural.width * view.k, port.clientWidth);
    view.y = held(port.clientHeight / 2 - box.cy * view.k, natural.height * view.k, port.clientHeight);
    this.#apply(smoothly && !isStill());
  }

  /** Mark a step or a transition as the one in hand; null for none. */
  select(part, { quietly = false } = {}) {
    this.selected = part;
    for (const one of this.port.querySelectorAll(".is-picked")) one.classList.remove("is-picked");
    const found = part && this.part(part);
    found?.classList.add("is-picked");
    if (part?.step) this.#rove(part.step);
    this.#place();
    if (!quietly) this.on.pick?.(found ? part : null);
  }

  /** Point at steps, the first one brought into view. */
  point(ids) {
    for (const one of this.port.querySelectorAll(".is-pointed")) one.classList.remove("is-pointed");
    for (const id of ids) this.step(id)?.classList.add("is-pointed");
    const first = ids.find((id) => this.boxes.has(id));
    if (first) this.reveal(first);
  }

  /** Let only some steps stand out; null for all. */
  dim(isKept) {
    for (const [id] of this.boxes) this.step(id)?.classList.toggle("is-dim", Boolean(isKept) && !isKept(id));
  }

  step(id) { return this.port.querySelector(`[data-step="${CSS.escape(id)}"]`); }

  /** Keep a step in view while something goes through the drawing. */
  follow(id) {
    const box = this.boxes.get(id);
    if (box && (this.view.k < this.readable || !this.#isInside(box))) this.reveal(id);
  }

  focusStep(id) { this.#rove(id); this.step(id)?.focus({ preventScroll: true }); }

  /** Return a step or a transition as it is drawn. */
  part(part) { return part.step ? this.step(part.step) : this.port.querySelector(`[data-transition="${CSS.escape(part.transition)}"]`); }

  #measure() {
    this.boxes = new Map();
    for (const element of this.port.querySelectorAll("[data-step]")) {
      const shape = element.querySelector(".shape, .frame") ?? element;
      // What is written on a rectangle need not be laid out to be known.
      const { x, y, width, height } = shape.localName === "rect" ? Object.fromEntries(["x", "y", "width", "height"].map((name) => [name, Number(shape.getAttribute(name))])) : shape.getBBox();
      this.boxes.set(element.dataset.step, { x: x + AROUND, y: y + AROUND, width, height, cx: x + AROUND + width / 2, cy: y + AROUND + (element.classList.contains("scope") ? 14 : height / 2) });
    }
  }

  /** Make the drawing's parts things to act on. */
  #equip() {
    for (const element of this.port.querySelectorAll("[data-step]")) this.#equipStep(element);
    for (const element of this.port.querySelectorAll("[data-transition]")) {
      const line = element.querySelector(".line");
      if (line) element.prepend(s("path", { d: line.getAttribute("d"), class: "reach-line" }));
    }
    this.#rove(this.boxes.has(this.current) ? this.current : this.boxes.keys().next().value);
    if (!this.on.connect) return;
    this.handle = s("g", { class: "connector", "aria-hidden": "true" }, s("circle", { r: 11, class: "connector-reach" }), s("circle", { r: 5.5, class: "connector-dot" }));
    this.thread = s("path", { class: "connecting" });
    this.picture.append(this.thread, this.handle);
  }

  #equipStep(element) {
    const name = element.querySelector("title")?.textContent ?? element.dataset.step;
    const kind = element.querySelector(".kind")?.textContent.toLowerCase() ?? "scope";
    const inside = Number(element.dataset.folded || 0);
    element.setAttribute("role", "button");
    element.setAttribute("tabindex", "-1");
    element.setAttribute("aria-label", [name.replace(/\n/g, ". "), kind, inside ? `${many(inside, "step")} folded inside` : ""].filter(Boolean).join(", "));
    if (!this.on.fold || !(inside || element.classList.contains("scope"))) return;
    const box = this.boxes.get(element.dataset.step);
    // Where neither a title nor the badge of a finding stands, nor the handle that connects.
    const [x, y] = inside ? [box.x - AROUND + 20, box.y - AROUND + box.height] : [box.x - AROUND, box.y - AROUND];
    element.append(s("g", { class: "fold-button", transform: `translate(${x} ${y})` }, s("title", {}, inside ? "Open what is inside" : "Fold"), s("circle", { r: 9 }), s("path", { d: inside ? "M-4 0h8M0-4v8" : "M-4 0h8" })));
  }

  #rove(id) {
    if (!id) return;
    if (this.current) this.step(this.current)?.setAttribute("tabindex", "-1");
    this.current = id;
    this.step(id)?.setAttribute("tabindex", "0");
  }

  #apply(smoothly = false) {
    if (!this.picture) return;
    const { x, y, k } = this.view;
    this.picture.classList.toggle("is-gliding", smoothly);
    // While it moves it is a picture; once it rests it is drawn anew, and sharp.
    if (this.picture.style.transform) {
      this.picture.style.willChange = "transform";
      clearTimeout(this.rest);
      this.rest = setTimeout((picture) => { picture.style.willChange = ""; }, REST_MS, this.picture);
    }
    this.picture.style.transform = `translate(${x}px, ${y}px) scale(${k})`;
    this.views.set(this.key, { ...this.view });
    this.map.show(this.view, this.port);
  }

  #resized() {
    if (this.view.isFitted) this.fit();
    const picked = this.boxes.get(this.selected?.step);
    // What is in the hand stays readable where its card takes room from the drawing.
    if (picked && this.view.isFitted && this.view.k < this.readable) this.reveal(this.selected.step);
    else if (picked && !this.#isSeen(picked)) this.centre(picked, { smoothly: false });
    else this.map.show(this.view, this.port);
  }

  #toWorld(x, y) { return { x: (x - this.view.x) / this.view.k, y: (y - this.view.y) / this.view.k }; }

  #here(event) {
    const { left, top } = this.port.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }

  #isSeen(box) {
    const { x, y, k } = this.view;
    return box.cx * k + x > 0 && box.cx * k + x < this.port.clientWidth && box.cy * k + y > 0 && box.cy * k + y < this.port.clientHeight;
  }

  #isInside({ x: left, y: top, width, height }) {
    const { x, y, k } = this.view;
    return left * k + x > 0 && top * k + y > 0 && (left + width) * k + x < this.port.clientWidth && (top + height) * k + y < this.port.clientHeight;
  }

  // Mouse, finger and keys

  #listen() {
    this.port.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.port.addEventListener("pointerdown", (event) => this.#down(event));
    this.port.addEventListener("pointerover", (event) => this.#over(event));
    this.port.addEventListener("dblclick", (event) => { const step = event.target.closest("[data-step]"); if (step && this.#isFoldable(step)) this.on.fold(step.dataset.step); });
    this.port.addEventListener("keydown", (event) => this.#key(event));
    this.port.addEventListener("focusin", (event) => this.#focused(event));
    // The browser scrolls to what gets the focus; here the drawing moves instead.
    this.port.addEventListener("scroll", () => { this.port.scrollTo(0, 0); });
    this.pointers = new Map();
  }

  #isFoldable(element) { return this.on.fold && (element.dataset.folded || element.classList.contains("scope")); }

  #wheel(event) {
    const { x, y } = this.#here(event);
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.zoom(Math.exp(-Math.max(Math.min(event.deltaY, 60), -60) / 180), x, y);
      return;
    }
    const [dx, dy] = event.shiftKey && !event.deltaX ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
    const { view, natural } = this;
    const isMore = (delta, at, size, room) => (delta > 0 ? at + size * view.k > room : delta < 0 ? at < 0 : false);
    // Where there is no more to see that way, the page scrolls on.
    if (!isMore(dx, view.x, natural.width, this.port.clientWidth) && !isMore(dy, view.y, natural.height, this.port.clientHeight)) return;
    event.preventDefault();
    this.pan(-dx, -dy);
  }

  #down(event) {
    if (event.button !== 0) return;
    this.picture?.classList.remove("is-gliding");
    if (event.target.closest(".connector") && this.hovered) { this.#connect(event); return; }
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const from = { x: event.clientX, y: event.clientY, target: event.target, moved: false };
    const move = (moved) => { if (moved.pointerId === event.pointerId) this.#moved(moved, from); };
    const end = (ended) => {
      if (ended.pointerId !== event.pointerId) return;
      this.pointers.delete(event.pointerId);
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
      this.port.classList.remove("is-panning");
      if (!from.moved && ended.type === "pointerup" && !this.pointers.size) this.#clicked(from.target);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  }

  #moved(event, from) {
    const before = this.pointers.get(event.pointerId);
    if (!before || (!from.moved && Math.hypot(event.clientX - from.x, event.clientY - from.y) < 4)) return;
    from.moved = true;
    this.port.classList.add("is-panning");
    const [other] = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (!other) { this.pan(event.clientX - before.x, event.clientY - before.y); return; }
    const { left, top } = this.port.getBoundingClientRect();
    const apart = (one) => Math.hypot(one.x - other.x, one.y - other.y) || 1;
    this.pan((event.clientX - before.x) / 2, (event.clientY - before.y) / 2);
    this.zoom(apart({ x: event.clientX, y: event.clientY }) / apart(before), (event.clientX + other.x) / 2 - left, (event.clientY + other.y) / 2 - top);
  }

  #clicked(target) {
    const step = target.closest("[data-step]");
    if (step && target.closest(".fold-button")) this.on.fold(step.dataset.step);
    else if (step) this.select({ step: step.dataset.step });
    else {
      const line = target.closest("[data-transition]");
      this.select(line ? { transition: line.dataset.transition } : null);
    }
  }

  #over(event) {
    const step = event.target.closest("[data-step]");
    if (step && !this.isConnecting && event.pointerType === "mouse") { this.hovered = step.dataset.step; this.#place(); }
  }

  /** Put the handle that connects under the step that is pointed at or picked. */
  #place() {
    if (!this.handle) return;
    const id = this.hovered && this.boxes.has(this.hovered) ? this.hovered : this.selected?.step;
    const box = id ? this.boxes.get(id) : null;
    const isEnd = id && this.step(id)?.classList.contains("end");
    this.handle.toggleAttribute("hidden", !box || isEnd);
    if (!box || isEnd) return;
    this.hovered = id;
    this.handle.setAttribute("transform", `translate(${box.x + box.width / 2} ${box.y + box.height})`);
  }

  #connect(event) {
    const from = this.hovered;
    const box = this.boxes.get(from);
    this.isConnecting = true;
    event.preventDefault();
    const stepAt = (at) => document.elementsFromPoint(at.clientX, at.clientY).map((one) => one.closest?.("[data-step]")).find((one) => one && this.port.contains(one) && !one.classList.contains("scope"));
    const move = (moved) => {
      const { x, y } = this.#here(moved);
      const to = this.#toWorld(x, y);
      this.thread.setAttribute("d", `M${box.x + box.width / 2} ${box.y + box.height}L${to.x} ${to.y}`);
      for (const one of this.port.querySelectorAll(".is-target")) one.classList.remove("is-target");
      stepAt(moved)?.classList.add("is-target");
    };
    const end = (ended) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      this.isConnecting = false;
      this.thread.setAttribute("d", "");
      for (const one of this.port.querySelectorAll(".is-target")) one.classList.remove("is-target");
      const target = stepAt(ended);
      if (target && target.dataset.step !== from) this.on.connect(from, target.dataset.step);
      else if (!target) this.on.add(from);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
  }

  #focused(event) {
    const step = event.target.closest("[data-step]")?.dataset.step;
    this.port.scrollTo(0, 0);
    if (!step) return;
    this.#rove(step);
    if (event.target.matches(":focus-visible") && !this.#isSeen(this.boxes.get(step))) this.reveal(step);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = this.#actOf(event);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  #actOf(event) {
    const step = event.target.closest("[data-step]");
    const arrow = ARROWS[event.key];
    if (arrow && event.shiftKey) return () => this.pan(arrow[0] * -80, arrow[1] * -80);
    if (arrow) return () => this.#walk(arrow, Boolean(step));
    const named = { "+": () => this.zoom(1.25), "=": () => this.zoom(1.25), "-": () => this.zoom(0.8), "0": () => this.fit(), "1": () => this.zoom(1 / this.view.k) }[event.key];
    if (named) return named;
    if (event.key.toLowerCase() === "f" && this.on.full) return () => this.on.full();
    if (event.key.toLowerCase() === "p" && this.on.play) return () => this.on.play();
    if (event.key === "Escape" && this.selected) return () => this.select(null);
    return step ? this.#actOnStep(event.key, step) : null;
  }

  #actOnStep(key, element) {
    const id = element.dataset.step;
    if (key === "Enter" || key === " ") return () => this.select({ step: id });
    if (key.toLowerCase() === "o" && this.#isFoldable(element)) return () => this.on.fold(id);
    if (!this.on.connect) return null;
    if (key === "Delete" || key === "Backspace") return () => this.on.remove({ step: id });
    if (key.toLowerCase() === "a") return () => this.on.add(id);
    return key.toLowerCase() === "c" ? () => this.on.connect(id, null) : null;
  }

  /** Go to the nearest step in a direction. */
  #walk([dx, dy], isOnStep) {
    const from = this.boxes.get(this.current);
    if (!isOnStep || !from) { if (this.current) this.#visit(this.current); return; }
    const near = [...this.boxes].filter(([id]) => id !== this.current).map(([id, box]) => {
      const [x, y] = [box.cx - from.cx, box.cy - from.cy];
      return [id, x * dx + y * dy, Math.abs(x * dy) + Math.abs(y * dx)];
    }).filter(([, along]) => along > 4).sort((a, b) => a[1] + 2 * a[2] - b[1] - 2 * b[2])[0];
    if (near) this.#visit(near[0]);
  }

  #visit(id) {
    this.focusStep(id);
    if (!this.#isSeen(this.boxes.get(id)) || this.view.k < 0.4) this.reveal(id);
  }
}
