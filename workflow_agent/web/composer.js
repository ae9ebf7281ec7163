// Where a message is written: it grows, completes `@agent` and `#workflow`, takes files, sends and stops.

import { button, fill, h, icon } from "./dom.js";
import { Completion } from "./completion.js";

const MOST_CHARS = 32000;

export class Composer {
  constructor(form, { say, stop, agents, workflows, files }) {
    this.say = say;
    this.stop = stop;
    this.files = files;
    this.input = h("textarea", {
      id: "message", rows: 1, dir: "auto", placeholder: "Describe a process, or ask about one", maxlength: MOST_CHARS,
      "aria-label": "Message", "aria-describedby": "hint", "aria-autocomplete": "list",
      onkeydown: (event) => this.#key(event), oninput: () => this.#typed(),
    });
    this.sendButton = button("send", "Send", () => this.submit(), { className: "send" });
    this.stopButton = button("stop", "Stop", () => this.stop(), { className: "send is-stop" });
    this.hint = h("p", { className: "hint", id: "hint" }, h("span", {}, h("kbd", {}, "Enter"), " sends"), h("span", {}, h("kbd", {}, "@"), " an agent"), h("span", {}, h("kbd", {}, "#"), " a workflow"), h("span", { className: "limit" }));
    this.completion = new Completion(this.input, { agents, workflows });
    this.branchNote = h("div", { className: "branch-note", hidden: true });
    const box = h("div", { className: "composer-box" }, this.completion.element, this.branchNote, files.element, this.input, h("div", { className: "composer-foot" }, files.button, h("span", { className: "grow" }), this.stopButton, this.sendButton));
    fill(form, box, this.hint);
    form.addEventListener("submit", (event) => { event.preventDefault(); this.submit(); });
    this.busy(false);
  }

  /** Send what is written. */
  submit() {
    const text = this.input.value.trim();
    if (!text || this.isBusy) return;
    const options = this.completion.chosen(text);
    const attachments = this.files.take();
    if (attachments.length) options.attachments = attachments;
    const turn = this.turn;
    this.edit(null);
    this.write("");
    this.say(text, options, turn);
  }

  /** Take up what was said in a turn, to say it otherwise in a branch; null gives that up. */
  edit(message) {
    this.turn = message?.turn ?? null;
    this.branchNote.hidden = !message;
    fill(this.branchNote, message ? [h("span", {}, `Turn ${message.turn} is said anew in a branch; this conversation stays as it is.`), button("close", "Give the branch up", () => { this.edit(null); this.write(""); })] : null);
    if (!message) return;
    this.write(message.content);
    this.focus();
  }

  /** Put a text where the reader can change it. */
  write(text) {
    this.input.value = text;
    this.#typed();
  }

  /** Say whether a reply is under way. */
  busy(isBusy) {
    const hadFocus = document.activeElement === this.stopButton;
    this.isBusy = isBusy;
    this.stopButton.hidden = !isBusy;
    this.sendButton.hidden = isBusy;
    this.#typed();
    if (hadFocus) this.focus();
  }

  focus() { this.input.focus(); }

  #typed() {
    this.sendButton.disabled = !this.input.value.trim();
    this.input.style.height = "auto";
    this.input.style.height = `${Math.min(this.input.scrollHeight, 260)}px`;
    const left = MOST_CHARS - this.input.value.length;
    this.hint.querySelector(".limit").textContent = left < 2000 ? `${left} characters left` : "";
    this.completion.look();
  }

  #key(event) {
    if (event.isComposing) return;
    if (this.completion.key(event)) { event.preventDefault(); return; }
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.submit();
    } else if (event.key === "Escape" && this.isBusy) {
      this.stop();
    }
  }
}
