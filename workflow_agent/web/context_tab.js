// The model's window: what fills it, how that went turn by turn, and what compaction left out.

import { ask, at, query } from "./api.js";
import { artifactsUsed, planned } from "./artifacts_used.js";
import { button, fill, h, s } from "./dom.js";
import { SECTIONS } from "./sections.js";
import { count, many, moment, spoken } from "./words.js";

const WIDTH = 560;
const HEIGHT = 150;
const MOST_BARS = 120;
const COUNTED = { provider: "Counted by the provider.", tokenizer: "Counted with the model's tokenizer.", calibrated: "Estimated from what the provider counted before.", chars_div_4: "Estimated at four characters a token." };

export class ContextTab {
  title = "Context";

  constructor({ conversationId, announce }) {
    this.announce = announce;
    this.conversationId = conversationId;
    this.element = h("div", { className: "context" });
  }

  async load() {
    const id = this.conversationId();
    if (!id) return this.#empty();
    const [latest, compacted] = await Promise.all([ask(`/api/v1/telemetry/tokens${query({ conversation_id: id, limit: MOST_BARS })}`), ask(`${at("conversations", id, "compactions")}${query({ order: "newest" })}`)]);
    if (id !== this.conversationId()) return undefined;
    this.records = latest.items.filter((record) => record.breakdown).reverse();
    if (!this.records.length) return this.#empty();
    this.sections = [...new Set(this.records.flatMap((record) => Object.keys(record.breakdown)))];
    this.compactions = compacted.items.reverse();
    this.detail = h("div", { className: "window" });
    fill(this.element, this.detail, this.#chart(), this.#compacted());
    this.#show(this.records.length - 1);
    return undefined;
  }

  #empty() {
    fill(this.element, h("div", { className: "blank" }, h("p", {}, "Nothing has been sent yet."), h("p", { className: "quiet" }, "After the first reply this shows what the model saw, section by section.")));
  }

  #show(at_) {
    const record = this.records[at_];
    for (const column of this.element.querySelectorAll(".column")) column.classList.toggle("is-chosen", column.dataset.at === String(at_));
    if (this.pick) this.pick.value = at_;
    const used = record.used_tokens ?? 0;
    const whole = Math.max(record.budget_tokens ?? used, used, 1);
    const parts = Object.entries(record.breakdown).filter(([, tokens]) => tokens > 0).sort(([a], [b]) => this.sections.indexOf(a) - this.sections.indexOf(b));
    const bar = s("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", class: "bar", role: "img", "aria-label": `${count(used)} of ${count(whole)} tokens: ${parts.map(([name, tokens]) => `${spoken(name)} ${count(tokens)}`).join(", ")}` });
    let x = 0;
    for (const [name, tokens] of parts) {
      bar.append(s("rect", { x, y: 0, width: (tokens / whole) * 100, height: 10, class: this.#colour(name) }, s("title", {}, `${spoken(name)}: ${count(tokens)} tokens. ${SECTIONS[name] ?? ""}`)));
      x += (tokens / whole) * 100;
    }
    const level = record.level && record.level !== "ok" ? h("span", { className: `level is-${record.level}` }, record.level) : null;
    fill(this.detail, h("div", { className: "window-head" }, h("h2", {}, `Turn ${record.turn}`), level, h("span", { className: "grow" }), h("span", { className: "quiet" }, `${count(used)} of ${count(whole)} tokens, ${Math.round((used / whole) * 100)} %`)), bar,
      h("ul", { className: "legend" }, ...parts.map(([name, tokens]) => h("li", { title: SECTIONS[name] }, s("svg", { viewBox: "0 0 10 10", class: "swatch", "aria-hidden": "true" }, s("rect", { width: 10, height: 10, rx: 2.5, class: this.#colour(name) })), h("span", {}, spoken(name)), h("span", { className: "quiet number" }, count(tokens))))),
      h("p", { className: "quiet" }, this.#story(record)), planned(record), artifactsUsed(record), this.#meanings(parts));
  }

  #meanings(parts) {
    const told = parts.filter(([name]) => SECTIONS[name]);
    const list = h("details", { className: "meanings", open: this.isExplained, ontoggle: () => { this.isExplained = list.open; } }, h("summary", {}, "What the sections are"), h("dl", { className: "facts" }, ...told.flatMap(([name]) => [h("dt", {}, spoken(name)), h("dd", {}, SECTIONS[name])])));
    return list;
  }

  #story(record) {
    const { included = 0, compacted = 0, excluded = 0 } = record.turns ?? {};
    const parts = [`${many(included, "earlier turn")} in view`];
    if (compacted) parts.push(`${compacted} compacted`);
    if (excluded) parts.push(`${excluded} left out`);
    return `${parts.join(", ")}. ${COUNTED[record.counting] ?? "Counted by the model."}`;
  }

  #colour(name) { return `part part-${this.sections.indexOf(name) % 12}`; }

  #chart() {
    const shown = this.records;
    const top = Math.max(...shown.map((record) => record.used_tokens ?? 0), 1);
    const step = Math.min(WIDTH / shown.length, 44);
    const width = Math.max(Math.min(step * 0.72, 26), 1.5);
    const chart = s("svg", { viewBox: `0 -18 ${WIDTH} ${HEIGHT + 36}`, class: "chart", role: "img", "aria-label": `Tokens used, turn ${shown[0].turn} to ${shown.at(-1).turn}: from ${count(shown[0].used_tokens)} to ${count(shown.at(-1).used_tokens)}, at most ${count(top)}` });
    shown.forEach((record, at_) => {
      const bar = s("g", { class: "column", "data-at": at_, onclick: () => this.#show(at_) }, s("title", {}, `Turn ${record.turn}: ${count(record.used_tokens)} tokens`), s("rect", { x: at_ * step, y: 0, width: step, height: HEIGHT, class: "reach" }));
      let y = HEIGHT;
      for (const name of this.sections) {
        const tall = ((record.breakdown[name] ?? 0) / top) * HEIGHT;
        if (tall > 0) bar.append(s("rect", { x: at_ * step + (step - width) / 2, y: y - tall, width, height: tall, class: this.#colour(name) }));
        y -= tall;
      }
      chart.append(bar);
    });
    for (const compaction of this.compactions) this.#flag(chart, compaction, shown, step);
    chart.append(...[s("line", { x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT, class: "axis" }), s("text", { x: 0, y: HEIGHT + 14, class: "tick" }, `Turn ${shown[0].turn}`), shown.length > 2 ? s("text", { x: step * shown.length, y: HEIGHT + 14, class: "tick", "text-anchor": "end" }, String(shown.at(-1).turn)) : null, s("text", { x: 0, y: -7, class: "tick" }, `${count(top)} tokens`)].filter(Boolean));
    this.pick = h("input", { type: "range", min: 0, max: shown.length - 1, value: shown.length - 1, "aria-label": "Turn", oninput: () => this.#show(Number(this.pick.value)) });
    this.pick.style.width = `${(step * shown.length / WIDTH) * 100}%`;
    return h("section", {}, h("h3", {}, "Turn by turn"), chart, shown.length > 1 ? this.pick : null);
  }

  #flag(chart, compaction, shown, step) {
    if (compaction.restored_at) return;
    const after = shown.findIndex((record) => (record.turns?.compacted ?? 0) >= compaction.to_turn);
    const x = Math.min((after < 0 ? shown.length : after) * step, WIDTH - 5);
    chart.append(s("g", { class: "flag" }, s("title", {}, `Turns ${compaction.from_turn} to ${compaction.to_turn} were compacted`), s("line", { x1: x, x2: x, y1: -4, y2: HEIGHT }), s("circle", { cx: x, cy: -6, r: 4 })));
  }

  #compacted() {
    if (!this.compactions.length) return null;
    return h("section", {}, h("h3", {}, "Compactions ", h("span", { className: "count" }, String(this.compactions.length))), h("p", { className: "quiet" }, "What the model no longer sees in full. Nothing of it is lost."), ...this.compactions.map((one) => compaction(one, () => this.#restore(one))));
  }

  async #restore(one) {
    try {
      await ask(at("conversations", this.conversationId(), "compactions", one.id, "restore"), { method: "POST" });
      this.announce(`The model sees turns ${one.from_turn} to ${one.to_turn} in full again.`);
    } catch (error) {
      this.announce(error.message, true);
    }
    await this.load();
  }
}

function compaction(one, restore) {
  const facts = (title, groups) => {
    const found = Object.entries(groups ?? {}).filter(([, values]) => Array.isArray(values) && values.length);
    if (!found.length) return null;
    return h("div", {}, h("h4", {}, title), h("dl", {}, ...found.flatMap(([name, values]) => [h("dt", {}, spoken(name)), h("dd", {}, ...values.map((value) => h("span", { className: "fact" }, String(value))))])));
  };
  return h("details", { className: "compaction" }, h("summary", {}, h("strong", {}, `Turns ${one.from_turn} to ${one.to_turn}`), h("span", { className: "quiet" }, `${count(one.tokens_before)} → ${count(one.tokens_after)} tokens · ${moment(one.at)}${one.restored_at ? " · restored" : ""}`)),
    one.summary?.text ? h("p", {}, one.summary.text) : null, facts("Dropped", one.dropped), facts("Kept word for word", one.ledger),
    one.restored_at ? null : h("div", {}, button("undo", "Bring these turns back", restore, { quiet: false })));
}
