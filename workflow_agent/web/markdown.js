// Markdown as elements. It reads the everyday part of the language and builds nodes, never markup:
// HTML in a text stays text, and only links to the web and to this page's own parts can be followed.

import { h } from "./dom.js";

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const BULLET = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;
const TABLE_LINE = /^\s*\|?\s*:?-{1,}:?\s*(\|\s*:?-{1,}:?\s*)*\|?\s*$/;
const INLINE = /(`+)([^`]|[^`][\s\S]{0,2000}?[^`])\1(?!`)|\*\*(?=\S)([\s\S]{0,2000}?\S)\*\*|(?<!\w)__(?=\S)([\s\S]{0,2000}?\S)__(?!\w)|\*(?=\S)([^*\n]{0,1000}?\S)\*|(?<!\w)_(?=\S)([^_\n]{0,1000}?\S)_(?!\w)|~~(?=\S)([\s\S]{0,1000}?\S)~~|\[([^\]\n]{1,500})\]\(([^()\s]{1,2000})\)|(https?:\/\/[^\s<>"'`)\]]{1,2000}[^\s<>"'`)\].,;:!?])/;
const MOST_DEPTH = 8;

/** Return the nodes of a Markdown text. */
export function markdown(text, depth = 0) {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const nodes = [];
  for (let at = 0; at < lines.length;) {
    const [node, next] = block(lines, at, depth);
    if (node) nodes.push(node);
    at = next;
  }
  return nodes;
}

function block(lines, at, depth) {
  const line = lines[at];
  if (!line.trim()) return [null, at + 1];
  const fence = FENCE.exec(line);
  if (fence) return code(lines, at, fence);
  const heading = HEADING.exec(line);
  if (heading) return [h(`h${Math.min(heading[1].length + 2, 6)}`, {}, ...inline(heading[2])), at + 1];
  if (RULE.test(line)) return [h("hr"), at + 1];
  if (depth < MOST_DEPTH && QUOTE.test(line)) return quote(lines, at, depth);
  if (depth < MOST_DEPTH && BULLET.test(line)) return list(lines, at, depth);
  if (line.includes("|") && (lines[at + 1] ?? "").length < 2000 && TABLE_LINE.test(lines[at + 1] ?? "") && lines[at + 1].includes("-")) return table(lines, at);
  return paragraph(lines, at, depth);
}

function code(lines, at, [, fence, language]) {
  let end = at + 1;
  while (end < lines.length && !(lines[end].trim().startsWith(fence) && /^[`~]+$/.test(lines[end].trim()))) end += 1;
  const text = lines.slice(at + 1, end).join("\n");
  const copy = h("button", { type: "button", className: "copy-code", onclick: () => navigator.clipboard?.writeText(text) }, "Copy");
  const head = h("div", { className: "code-head" }, h("span", {}, language || "text"), copy);
  return [h("div", { className: "code" }, head, h("pre", { tabIndex: 0, "aria-label": `${language || "text"} code` }, h("code", {}, text))), end + 1];
}

function quote(lines, at, depth) {
  const inside = [];
  let end = at;
  for (let match; end < lines.length && (match = QUOTE.exec(lines[end])); end += 1) inside.push(match[1]);
  return [h("blockquote", {}, ...markdown(inside.join("\n"), depth + 1)), end];
}

function list(lines, at, depth) {
  const [, indent, mark] = BULLET.exec(lines[at]);
  const isOrdered = /\d/.test(mark);
  const items = [];
  let end = at;
  while (end < lines.length) {
    const match = BULLET.exec(lines[end]);
    if (match && match[1].length <= indent.length + 1) {
      if (/\d/.test(match[2]) !== isOrdered) break;
      items.push([match[3]]);
    } else if (lines[end].trim() && (/^\s{2,}/.test(lines[end]))) items.at(-1).push(lines[end].slice(Math.min(indent.length + 2, lines[end].search(/\S/))));
    else if (!lines[end].trim() && goesOn(lines, end, indent, isOrdered)) items.at(-1).push("");
    else if (lines[end].trim() && lines[end - 1].trim() && !starts(lines[end])) items.at(-1).push(lines[end]);
    else break;
    end += 1;
  }
  const start = isOrdered ? parseInt(mark, 10) : null;
  return [h(isOrdered ? "ol" : "ul", { start: start > 1 ? start : null }, ...items.map((item) => h("li", {}, ...tight(item, depth)))), end];
}

function goesOn(lines, at, indent, isOrdered) {
  const next = lines[at + 1] ?? "";
  const match = BULLET.exec(next);
  return match ? match[1].length > indent.length + 1 || /\d/.test(match[2]) === isOrdered : /^\s{2,}\S/.test(next);
}

function tight(item, depth) {
  const nodes = markdown(item.join("\n"), depth + 1);
  return nodes.length && nodes[0].tagName === "P" && !item.includes("") ? [...nodes[0].childNodes, ...nodes.slice(1)] : nodes;
}

function table(lines, at) {
  const cells = (line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replace(/\\\|/g, "|"));
  const head = cells(lines[at]);
  const rows = [];
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|")) rows.push(cells(lines[end++]));
  const row = (kind, values) => h("tr", {}, ...head.map((_, column) => h(kind, {}, ...inline(values[column] ?? ""))));
  const body = h("tbody", {}, ...rows.map((values) => row("td", values)));
  return [h("div", { className: "table", tabIndex: 0, role: "region", "aria-label": "Table" }, h("table", {}, h("thead", {}, row("th", head)), body)), end];
}

function starts(line) {
  return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || BULLET.test(line);
}

function paragraph(lines, at, depth) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && (depth >= MOST_DEPTH || !starts(lines[end]))) end += 1;
  return [h("p", {}, ...inline(lines.slice(at, end).join("\n"))), end];
}

/** Return the nodes of a line of text. */
export function inline(text, depth = 0) {
  const nodes = [];
  let rest = text;
  for (let match; depth < MOST_DEPTH && (match = INLINE.exec(rest));) {
    nodes.push(...plain(rest.slice(0, match.index)), marked(match, depth));
    rest = rest.slice(match.index + match[0].length);
  }
  return [...nodes, ...plain(rest)];
}

function marked(match, depth) {
  const [all, ticks, codeText, strong, strong2, em, em2, gone, label, target, bare] = match;
  if (ticks) return h("code", {}, codeText.trim() || codeText);
  if (strong ?? strong2) return h("strong", {}, ...inline(strong ?? strong2, depth + 1));
  if (em ?? em2) return h("em", {}, ...inline(em ?? em2, depth + 1));
  if (gone) return h("del", {}, ...inline(gone, depth + 1));
  if (bare) return link(bare, [bare]);
  return link(target, inline(label, depth + 1)) ?? document.createTextNode(all);
}

function link(target, inside) {
  if (!/^(https?:\/\/|mailto:)/i.test(target)) return document.createTextNode(target === inside[0] ? target : `${inside.map((node) => node.textContent ?? node).join("")} (${target})`);
  return h("a", { href: target, target: "_blank", rel: "noopener noreferrer nofollow" }, ...inside);
}

function plain(text) {
  if (!text) return [];
  return text.split("\n").flatMap((line, at) => (at ? [h("br"), line] : [line])).filter((part) => part !== "").map((part) => (typeof part === "string" ? document.createTextNode(part.replace(/\\([\\`*_{}[\]()#+.!|~>-])/g, "$1")) : part));
}
