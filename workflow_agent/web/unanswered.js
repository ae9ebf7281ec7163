// Why messages have no answer, or fewer than the agents they name: the runs that ended without one.

import { ask, at } from "./api.js";

const SAID = { failed: "The run failed.", cancelled: "Stopped. Nothing more was done.", interrupted: "The server stopped in the middle of this run." };
const NAMED = /@[a-z][\w-]*/gi;

/** Say whether a message may have a run that left no answer, beside so many that did. */
export function mayLackAnswer(message, answers) {
  return Boolean(message.run_id) && answers < Math.max(1, new Set(message.content.toLowerCase().match(NAMED)).size);
}

/** Return the runs of a turn that ended without an answer, oldest first; none where that cannot be read. */
export async function unanswered(id, turn) {
  const found = await ask(at("conversations", id, "turns", String(turn))).catch(() => null);
  return (found?.runs ?? []).filter((run) => SAID[run.status]);
}

/** Return what is to be told of a run that left no answer. */
export function problemOf(run) {
  return { code: run.status, detail: run.error?.message ?? SAID[run.status] };
}
