// Documents that go with the next message: chosen, dropped or pasted, and read here.

import { button, fill, h } from "./dom.js";

const MOST = 10;
const MOST_BYTES = 5_000_000;
const BINARY = /\.(pdf|docx)$/i;

export class Attachments {
  constructor(area, refuse) {
    this.refuse = refuse;
    this.documents = [];
    this.element = h("ul", { className: "files", "aria-label": "Attached", hidden: true });
    const input = h("input", { type: "file", multiple: true, hidden: true, "aria-label": "Files to attach", onchange: () => { this.add(input.files); input.value = ""; } });
    this.button = h("span", {}, input, button("clip", "Attach documents", () => input.click()));
    this.#takeDrops(area);
  }

  /** Add files, as far as they can be read. */
  async add(files) {
    for (const file of files) {
      const problem = this.#problem(file);
      if (problem) this.refuse(problem);
      else this.documents.push(await read(file).catch(() => null));
    }
    const unread = this.documents.some((one) => one === null || one.content.includes("\0"));
    this.documents = this.documents.filter((one) => one && !one.content.includes("\0"));
    if (unread) this.refuse("Only text, PDF and Word documents can be read.");
    this.#draw();
  }

  /** Return what is attached, and begin anew. */
  take() {
    const taken = this.documents;
    this.documents = [];
    this.#draw();
    return taken;
  }

  #problem(file) {
    if (this.documents.length >= MOST) return `A message takes at most ${MOST} documents.`;
    if (!file.size) return `${file.name} is empty.`;
    const total = this.documents.reduce((sum, one) => sum + one.content.length, file.size);
    return total > MOST_BYTES ? `${file.name} is too large: a message takes 5 MB of documents.` : null;
  }

  #draw() {
    this.element.hidden = !this.documents.length;
    fill(this.element, ...this.documents.map((one) => h("li", { className: "file" }, one.title, button("close", `Remove ${one.title}`, () => {
      this.documents = this.documents.filter((other) => other !== one);
      this.#draw();
    }))));
  }

  #takeDrops(area) {
    const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
    area.addEventListener("dragover", (event) => { if (hasFiles(event)) { event.preventDefault(); area.classList.add("is-dropping"); } });
    area.addEventListener("dragleave", (event) => { if (!area.contains(event.relatedTarget)) area.classList.remove("is-dropping"); });
    area.addEventListener("drop", (event) => {
      area.classList.remove("is-dropping");
      if (!hasFiles(event)) return;
      event.preventDefault();
      this.add(event.dataTransfer.files);
    });
    area.addEventListener("paste", (event) => { if (event.clipboardData?.files.length) { event.preventDefault(); this.add(event.clipboardData.files); } });
  }
}

async function read(file) {
  const title = file.name.replace(/\p{C}/gu, "").slice(0, 200) || "Document";
  if (!BINARY.test(file.name)) return { title, content: await file.text() };
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return { title, content: btoa(text), encoding: "base64" };
}
