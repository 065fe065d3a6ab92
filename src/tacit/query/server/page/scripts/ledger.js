// The check of the whole ledger, for owner and auditor.

import * as api from "./api.js";
import { busyButton, field, filled, made } from "./made.js";
import { copyButton } from "./share.js";
import { linesWorded } from "./words.js";

/** A card with the button and what the walk found. */
export function ledgerCard(state) {
  const result = made("div", { class: "verified", role: "status" });
  const head = made("input", { id: "head", autocomplete: "off", spellcheck: "false", maxlength: "64", placeholder: "64 letters and digits" });
  async function check() {
    filled(result, made("p", { class: "loading" }, "Walking over the chain…"));
    try {
      filled(result, verdict(await api.verify(head.value.trim())));
    } catch (problem) {
      filled(result);
      state.failed(problem, "The ledger was not verified");
    }
  }
  return made("section", { class: "card ledger", "aria-labelledby": "ledger-title" },
    made("div", { class: "halves" },
      made("div", {}, made("h2", { id: "ledger-title" }, "Ledger"),
        made("p", { class: "soft" }, "Every line is tied to the one before it by a hash. The check walks over all of them, sums every charge anew and names the first line that was changed.")),
      made("div", { class: "row end-line" }, field("A head noted earlier (optional)", head), busyButton({ id: "verify", class: "primary" }, "Verify the chain", check))),
    result);
}

function verdict({ holds, lines, head, broken, problem }) {
  if (!holds) return made("div", { class: "box broken" }, made("p", { class: "box-title" }, `Broken at line ${broken}`), made("p", {}, `${problem}.`));
  return made("div", { class: "box good" },
    made("p", { class: "box-title" }, `The chain holds: ${linesWorded(lines)}`),
    made("p", {}, "Note the head: whoever has it can tell later that no line up to here was changed or taken away."),
    made("p", { class: "row" }, made("code", { class: "hash" }, head), copyButton("Copy", () => head)));
}
