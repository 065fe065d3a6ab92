// What is spent is confirmed first: it is never given back.

import { worded } from "./amounts.js";
import { by, filled, made } from "./made.js";
import { leftTable } from "./preview.js";

/** Ask whether a priced question shall be asked; true when it shall. */
export function confirmed(found, me) {
  const dialog = by("confirm");
  const price = worded(found.cost);
  filled(dialog, made("form", { method: "dialog" },
    made("h2", { id: "confirm-title" }, `Spend ${price}?`),
    made("p", {}, "It is charged before the answer is computed and never given back. Asking the same again later is free."),
    leftTable(found, me),
    made("div", { class: "row end" },
      made("button", { value: "no", class: "quiet" }, "Cancel"),
      made("button", { value: "yes", class: "primary", autofocus: true }, `Ask and spend ${price}`))));
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise(settle => dialog.addEventListener("close", () => settle(dialog.returnValue === "yes"), { once: true }));
}
