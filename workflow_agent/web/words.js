// How numbers, times and names are said.

import { h } from "./dom.js";

const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" });
const SPANS = [["year", 31536000], ["month", 2592000], ["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60]];

/** Return how long ago a time was. */
export function ago(iso, now = Date.now()) {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  const [unit, length] = SPANS.find(([, span]) => Math.abs(seconds) >= span) ?? [];
  return unit ? RELATIVE.format(Math.trunc(seconds / length), unit) : "now";
}

/** Return a time of day and, unless it is today, its date. */
export function moment(iso) {
  const at = new Date(iso);
  const isToday = at.toDateString() === new Date().toDateString();
  return at.toLocaleString("en-GB", isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}

/** Return milliseconds as people say them. */
export function lasting(ms) {
  if (ms === null || ms === undefined) return "";
  if (ms < 1000) return `${Math.max(Math.round(ms), 1)} ms`;
  return ms < 60000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60000)} min ${Math.round((ms % 60000) / 1000)} s`;
}

/** Return a whole number with separators. */
export function count(number) { return (number ?? 0).toLocaleString("en"); }

/** Return a count with its noun. */
export function many(number, one, several = `${one}s`) { return `${count(number)} ${number === 1 ? one : several}`; }

/** Return what a reply cost: the offline model costs nothing, and not every other one's price is known. */
export function costing({ cost, model }) {
  if (model === "offline") return "nothing";
  if (cost.total_usd === null) return "price not known";
  return `${cost.is_complete === false ? "at least " : ""}$${cost.total_usd.toFixed(4)}`;
}

/** Return a name from a program as words: `edit_workflow` is "Edit workflow". */
export function spoken(name) {
  const words = String(name).replace(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Return the beginning of a text that is too long. */
export function shortened(text, most) { return text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text; }

const LENGTHS = [["W", "week"], ["D", "day"], ["H", "hour"], ["M", "minute"], ["S", "second"]];
const DURATION = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
const SPOKEN = /(\d+)\s*(weeks?|w|days?|d|hours?|h|minutes?|mins?|m|seconds?|secs?|s)(?![a-z])/gi;

/** Return an ISO 8601 duration as people say it; another text as it is. */
export function spokenDuration(iso) {
  const parts = DURATION.exec(iso ?? "");
  if (!parts) return iso ?? "";
  return LENGTHS.map(([, name], at) => (Number(parts[at + 1]) ? many(Number(parts[at + 1]), name) : "")).filter(Boolean).join(" ");
}

const SECONDS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

/** Return a number of seconds as people say it, by its two largest parts: "2 days 4 hours". */
export function spanOf(seconds) {
  let left = Math.round(seconds);
  const parts = SECONDS.map(([name, size]) => { const amount = Math.floor(left / size); left -= amount * size; return amount ? many(amount, name) : ""; });
  return parts.filter(Boolean).slice(0, 2).join(" ") || "no time";
}

/** Return the ISO 8601 duration that somebody means by "2 days"; null where nobody could tell. */
export function durationOf(text) {
  const plain = text.trim();
  if (/^P[\dTWDHMS.Y]+$/i.test(plain)) return plain.toUpperCase();
  const found = [...plain.matchAll(SPOKEN)];
  if (!found.length || plain.replace(SPOKEN, "").replace(/and|,/g, "").trim()) return null;
  const amounts = new Map(found.map(([, amount, unit]) => [unit[0].toUpperCase(), amount]));
  const written = (units) => units.filter((unit) => amounts.has(unit)).map((unit) => amounts.get(unit) + unit).join("");
  const [days, time] = [written(["W", "D"]), written(["H", "M", "S"])];
  return `P${days.includes("W") && (days.includes("D") || time) ? `${Number(amounts.get("W")) * 7 + Number(amounts.get("D") ?? 0)}D` : days}${time ? `T${time}` : ""}`;
}

/** Return a text as nodes, the words that were searched for marked. */
export function marked(text, words) {
  const said = words.toLowerCase().split(/\s+/).filter((one) => one.length > 1);
  // "Who" and "the" are marked only where nothing longer is looked for.
  const long = said.filter((one) => one.length > 3);
  const parts = long.length ? long : said;
  if (!parts.length) return [text];
  const lower = text.toLowerCase();
  const nodes = [];
  for (let at = 0; at < text.length;) {
    const [place, part] = parts.map((one) => [lower.indexOf(one, at), one]).filter(([found]) => found >= 0).sort((a, b) => a[0] - b[0] || b[1].length - a[1].length)[0] ?? [text.length, ""];
    if (place > at) nodes.push(text.slice(at, place));
    if (part) nodes.push(h("mark", {}, text.slice(place, place + part.length)));
    at = place + part.length;
  }
  return nodes;
}
