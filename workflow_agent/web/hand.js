// Changes made by hand: typed edits, sent once, shown where they are made, and taken back with one press.

import { asRead, ask, at, query } from "./api.js";
import { newKey } from "./run.js";

export class Hand {
  constructor({ announce, conversationId, done }) {
    this.announce = announce;
    this.conversationId = conversationId;
    this.done = done;
    this.past = [];
  }

  /** Show what edits would do, without doing it. */
  preview(workflow, edits) {
    return ask(`${at("workflows", workflow.id, "edits")}?dry_run=true`, { method: "POST", body: { edits }, headers: asRead(workflow) });
  }

  /** Make edits of a version; the report of what they did, or null where they were refused. */
  async edit(workflow, edits, { isUndo = false } = {}) {
    const report = await this.#sent(workflow, at("workflows", workflow.id, "edits"), { edits }, isUndo ? "Taken back" : null);
    if (report && !isUndo) this.past.push({ id: workflow.id, version: report.workflow.version, inverse: report.inverse });
    return report;
  }

  /** Make a version the newest again. */
  restore(workflow, version) {
    return this.#sent(workflow, at("workflows", workflow.id, "versions", String(version), "restore"), undefined, `Version ${version} is the newest again.`);
  }

  /** Say whether the last thing done to a workflow can be taken back here. */
  canUndo(workflow) {
    const last = this.past.at(-1);
    return Boolean(last) && last.id === workflow?.id && last.version === workflow?.version;
  }

  /** Take the last edits back. */
  async undo(workflow) {
    if (!this.canUndo(workflow)) { this.announce("There is nothing of yours to take back here; older changes are under Versions."); return null; }
    const { inverse } = this.past.pop();
    const report = await this.edit(workflow, inverse, { isUndo: true });
    // What was done before that is the last thing again.
    const before = this.past.at(-1);
    if (report && before?.id === workflow.id) before.version = report.workflow.version;
    return report;
  }

  async #sent(workflow, path, body, words) {
    const headers = { ...asRead(workflow), "Idempotency-Key": newKey() };
    let report = null;
    try {
      report = await ask(path + query({ conversation_id: this.conversationId() }), { method: "POST", body, headers });
    } catch (error) {
      this.announce(error.status === 412 ? "Somebody else changed this workflow meanwhile. This is how it is now; try again." : error.message, true);
      await this.done(null);
      return null;
    }
    const made = { workflow_id: report.workflow.id, name: report.workflow.name, version: report.workflow.version, previous_version: report.previous_version, changes: report.changes };
    const said = words === "Taken back" ? `Taken back: ${report.changes[0] ?? "nothing"}` : words ?? (report.changes[0] || "Nothing changed.");
    await this.done(made, report);
    this.announce(said, false, body && words !== "Taken back" ? { words: "Undo", act: () => this.undo(report.workflow) } : null);
    return report;
  }
}
