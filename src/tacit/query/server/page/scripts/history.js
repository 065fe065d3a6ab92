// What was asked: each charge with its answer in one line, refusals between them. Reading an old answer is free.

import * as api from "./api.js";
import { busyButton, choice, field, filled, made } from "./made.js";
import { ledgerCard } from "./ledger.js";
import { asked, line } from "./line.js";
import { linesWorded } from "./words.js";

const PAGE = 200;
const OUTCOMES = [["", "all outcomes"], ["answered", "answered"], ["refused", "refused"], ["failed", "failed"], ["repeated", "answered before, free"], ["open", "charged, no answer"]];

/** The section with filters, lines and, for owner and auditor, the check of the ledger. */
export function historyView(state, { putBack }) {
  const all = state.account.role !== "analyst";
  const wanted = { text: "", dataset: "", outcome: "", account: "" };
  const list = made("ol", { class: "lines", "aria-label": "Questions, newest first" });
  const count = made("p", { class: "soft small", role: "status" });
  const who = made("div");
  const older = busyButton({ class: "quiet" }, "Show older lines", () => load(entries.at(-1)?.number));
  let entries = [];

  async function load(before = null) {
    list.setAttribute("aria-busy", "true");
    try {
      const found = await api.history(before, PAGE);
      entries = before ? [...entries, ...found] : found;
      older.hidden = found.length === 0;
      if (all) accounts();
      show();
    } catch (problem) {
      state.failed(problem, "The history could not be read");
    } finally {
      list.removeAttribute("aria-busy");
    }
  }

  function accounts() {
    const names = [...new Set(entries.map(entry => entry.account))].sort();
    filled(who, field("Account", choice("by-account", [["", "all accounts"], ...names.map(name => [name, name])], wanted.account, set("account"))));
  }

  function show() {
    const questions = asked(entries);
    const kept = questions.map(one => line(one, { state, all, putBack })).filter(({ facts }) => fits(facts));
    filled(list, kept.length ? kept.map(({ node }) => node) : made("li", { class: "none soft" }, entries.length ? "No line meets these filters." : "Nothing was asked yet."));
    count.textContent = `${kept.length} of ${questions.length} shown, from ${linesWorded(entries.length)} of the ledger`;
  }

  const fits = facts => ["dataset", "outcome", "account"].every(name => !wanted[name] || facts[name] === wanted[name])
    && facts.text.toLowerCase().includes(wanted.text.toLowerCase());
  const set = name => value => { wanted[name] = value; show(); };

  const search = made("input", { id: "by-text", type: "search", autocomplete: "off", placeholder: "e.g. income", oninput: event => set("text")(event.target.value) });
  const datasets = [["", "all data sets"], ...state.datasets.map(({ name }) => [name, name])];
  return {
    node: made("section", { class: "stack", "aria-labelledby": "history-title" },
      made("div", { class: "view-head" }, made("div", {}, made("h1", { id: "history-title" }, "History"),
        made("p", { class: "lead" }, all ? "Everything that was asked, by everybody." : "Everything that you asked. Reading an old answer again is free.")),
      busyButton({ class: "quiet" }, "Refresh", () => load())),
      all ? ledgerCard(state) : null,
      made("div", { class: "card" },
        made("div", { class: "filters", role: "search", "aria-label": "Filter the history" }, field("Contains", search),
          field("Data set", choice("by-dataset", datasets, "", set("dataset"))),
          field("Outcome", choice("by-outcome", OUTCOMES, "", set("outcome"))), who),
        count, list, older)),
    load,
  };
}
