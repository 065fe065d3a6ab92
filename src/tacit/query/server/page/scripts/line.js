// One question of the history: when, by whom, what, for how much, and what came of it.

import { fraction, isNothing, typeable, worded } from "./amounts.js";
import { answerTable, notes } from "./answer.js";
import { made } from "./made.js";
import { headings, questionSql } from "./question.js";
import { moment, rowsWorded } from "./words.js";

/** Entries, newest first, as questions: a charge and what came of it are one. */
export function asked(entries) {
  const own = one => !one.charge || one.kind === "repeat";
  const outcomes = new Map(entries.filter(one => !own(one)).map(one => [one.charge, one]));
  return entries.filter(own).map(first => ({ first, outcome: first.kind === "refusal" ? first : outcomes.get(first.number) ?? null }));
}

const OUTCOME = { answer: "answered", refusal: "refused", failure: "failed" };
const ALONE = { repeat: "repeated", reopening: "reopened" };
const SHOWN = {
  answered: "answered", refused: "refused", failed: "failed, charged", open: "charged, no answer",
  repeated: "answered before, free", reopened: "reopened by the owner",
};

/** The line as an element, and the facts that filters look at. */
export function line({ first, outcome }, { state, all, putBack }) {
  const kind = ALONE[first.kind] ?? (outcome ? OUTCOME[outcome.kind] : "open");
  const dataset = state.datasets.find(one => one.name === first.dataset);
  const sql = first.question && dataset ? questionSql(first.question, dataset) : "";
  const body = made("div", { class: "line-body", hidden: true });
  const toggle = outcome ? opener(body, () => opened(first, outcome, dataset), kind) : null;
  const again = sql && putBack ? made("button", { type: "button", class: "quiet small", onclick: () => putBack({
    sql, amount: isNothing(fraction(first.cost.amount)) ? "" : typeable(first.cost.amount), name: first.project,
  }) }, "Put into the box") : null;
  const node = made("li", { class: `line ${kind}` },
    made("div", { class: "line-head" },
      made("span", { class: `outcome ${kind}` }, SHOWN[kind]),
      made("span", { class: "line-meta" }, [`line ${first.number}`, moment(first.time), first.dataset, first.project && `project ${first.project}`, all && first.account].filter(Boolean).join(" · ")),
      made("span", { class: "line-cost" }, isNothing(fraction(first.cost.amount)) ? "free" : worded(first.cost))),
    made("pre", { class: "line-sql" }, made("code", {}, sql || "(the text was not understood, and is not kept)")),
    kind === "refused" || kind === "failed" ? made("p", { class: "line-why" }, outcome.answer?.sentence ?? "") : null,
    made("div", { class: "row" }, toggle, again), body);
  const facts = { dataset: first.dataset, account: first.account, outcome: kind, text: `${sql} ${first.project} ${first.account} ${outcome?.answer?.code ?? ""} ${outcome?.answer?.sentence ?? ""}` };
  return { node, facts };
}

function opener(body, content, kind) {
  const [more, less] = kind === "answered" ? ["Read the answer", "Close the answer"] : ["What helps", "Close"];
  const button = made("button", { type: "button", class: "quiet small", "aria-expanded": "false", onclick: () => {
    if (!body.childElementCount) body.append(...content());
    body.hidden = !body.hidden;
    button.setAttribute("aria-expanded", String(!body.hidden));
    button.textContent = body.hidden ? more : less;
  } }, more);
  return button;
}

function opened(first, outcome, dataset) {
  const found = outcome.answer;
  if (outcome.kind !== "answer") return [made("p", { class: "hint" }, made("strong", {}, "What helps: "), found.hint)];
  const { keys, figures } = headings(first.question, dataset ?? { columns: [], joins: [], unit: null });
  const reply = {
    columns: [...keys, ...figures], kinds: [...keys.map(() => "key"), ...figures.map(() => "figure")],
    accuracy: found.accuracy.map(row => [...keys.map(() => null), ...row]), rows: found.keys.map((key, place) => [...key, ...found.figures[place]]),
    notes: found.notes, dummy: false, mode: first.mode,
  };
  return [answerTable(reply), notes(reply), made("p", { class: "soft small" }, `${rowsWorded(reply.rows.length)} as stored in line ${outcome.number}; read for free.`)].filter(Boolean);
}
