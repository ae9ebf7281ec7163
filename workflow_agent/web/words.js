// How numbers, times and names are said.

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
  if (cost.total_usd === null) return model === "offline" ? "nothing" : "price not known";
  return `$${cost.total_usd.toFixed(4)}`;
}

/** Return a name from a program as words: `edit_workflow` is "Edit workflow". */
export function spoken(name) {
  const words = String(name).replace(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Return the beginning of a text that is too long. */
export function shortened(text, most) { return text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text; }
