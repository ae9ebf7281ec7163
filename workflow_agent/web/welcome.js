// What an empty conversation shows: what can be said here.

import { h } from "./dom.js";

const EXAMPLES = [
  ["Build", "When an employee submits an expense, the manager approves or rejects it within two days. If approved, finance pays it out, otherwise tell the employee by email."],
  ["Find", "Which of our workflows send an email?"],
  ["Change", "Put a legal review before the payment."],
  ["Check", "Where could an expense get stuck?"],
];

/** Return the beginning; an example is put where it can be changed before it is sent. */
export function welcome(use) {
  return h("div", { className: "welcome" },
    h("h2", {}, "What should your workflow do?"),
    h("p", {}, "Describe it in your own words. I draw it, change it, and tell you where it can go wrong."),
    h("ul", { className: "examples" }, ...EXAMPLES.map(([kind, text]) => h("li", {}, h("button", { type: "button", onclick: () => use(text) }, h("span", { className: "example-kind" }, kind), h("span", {}, text))))));
}
