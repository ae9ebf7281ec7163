// What somebody thinks of a reply: two buttons, and a note once one is pressed.

import { ask, at, query } from "./api.js";
import { button, fill, h } from "./dom.js";

const WORDS = { up: "Good reply", down: "Bad reply" };

/** Return the buttons that rate a reply, and the place of the note. */
export function feedbackOf(reply, { conversationId, announce }) {
  let given = reply.feedback ?? null;
  const place = h("div", { className: "feedback" });
  const path = () => at("conversations", conversationId(), "turns", String(reply.turn), "feedback") + query({ run_id: reply.run_id });
  const buttons = Object.entries(WORDS).map(([rating, words]) => [rating, button(rating, words, () => rate(rating))]);
  const shown = () => { for (const [rating, one] of buttons) one.setAttribute("aria-pressed", String(given?.rating === rating)); };
  const say = async (body, told) => {
    try {
      given = await ask(path(), body ? { method: "PUT", body } : { method: "DELETE" });
      announce?.(told);
    } catch (error) {
      announce?.(error.message, true);
    }
    shown();
    return given;
  };
  const rate = async (rating) => {
    const isBack = given?.rating === rating;
    await say(isBack ? null : { rating, note: given?.rating ? given.note : "" }, isBack ? "The rating was taken back." : "Thank you.");
    fill(place, given ? noteForm() : null);
  };
  const noteForm = () => {
    const field = h("input", { type: "text", maxlength: 2000, "aria-label": "Note on the reply", placeholder: "Why? (optional)", value: given.note });
    const keep = async (event) => { event.preventDefault(); await say({ rating: given.rating, note: field.value.trim() }, "The note was kept."); fill(place); };
    return h("form", { className: "feedback-note", onsubmit: keep }, field, h("button", { type: "submit", className: "button is-small" }, "Keep the note"));
  };
  shown();
  return { buttons: buttons.map(([, one]) => one), place };
}
