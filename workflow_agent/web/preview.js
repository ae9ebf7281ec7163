// A change that was shown and not made: what it would do, and the choice.

import { button, h, icon } from "./dom.js";
import { many } from "./words.js";

const TITLES = { edit: "Proposed change to", restore: "Proposed return of", delete: "Proposed deletion of" };

/** Return the card of a preview; its buttons answer as the next message would, and it lists the changes unless a text does. */
export function previewCard(preview, { decide, openWorkflow, isTold = false, isSeen = false }) {
  const changes = isTold ? [] : preview.changes ?? [];
  return h("div", { className: "preview", role: "group", "aria-label": "Proposed change" },
    h("div", { className: "preview-head" }, icon("alert"), h("strong", {}, `${TITLES[preview.action] ?? "Proposed change to"} ${preview.workflow_name}`)),
    preview.reason ? h("p", { className: "quiet" }, `It waits for your word: ${preview.reason}.`) : null,
    changes.length ? h("ul", { className: "changes" }, ...changes.slice(0, 12).map((line) => h("li", {}, line))) : null,
    changes.length > 12 ? h("p", { className: "quiet" }, `and ${many(changes.length - 12, "more change")}`) : null,
    h("div", { className: "preview-buttons" },
      button("check", preview.action === "delete" ? "Delete it" : "Accept", () => decide("yes"), { quiet: false, className: preview.action === "delete" ? "is-danger" : "is-main" }),
      button("cross", "Decline", () => decide("no"), { quiet: false }),
      isTold || isSeen ? button("flow", "Show", () => openWorkflow(preview.workflow_id, preview), { quiet: false, className: "is-plain" }) : null),
    h("p", { className: "preview-past quiet" }, "The next message decided about it."));
}
