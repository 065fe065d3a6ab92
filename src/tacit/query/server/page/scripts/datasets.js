// All data sets with their budgets and columns.

import { gauges } from "./budget.js";
import { columnTable } from "./columns.js";
import { made } from "./made.js";
import { MODES, protectedUnit, rules } from "./words.js";

/** The sentences that explain how a data set answers. */
export function explained(dataset) {
  return [
    made("p", { class: "mode-about" }, MODES[dataset.mode]?.about ?? dataset.mode),
    made("ul", { class: "facts" }, [protectedUnit(dataset), ...rules(dataset), ...joined(dataset)].map(text => made("li", {}, text))),
  ];
}

const joined = dataset => dataset.joins.map(({ table, key }) => `“${table}” can be joined: JOIN ${table} USING (${key}).`);

export const modeMark = dataset => made("span", { class: "mode" }, MODES[dataset.mode]?.name ?? dataset.mode);

/** The section with one card per data set. */
export function datasetsView({ datasets, budgets, account }) {
  const cards = datasets.map(dataset => {
    const budget = budgets.find(one => one.dataset === dataset.name);
    const id = `dataset-${dataset.name}`;
    return made("article", { class: "card dataset", "aria-labelledby": id },
      made("div", { class: "card-head" }, made("h2", { id }, dataset.name), modeMark(dataset),
        made("span", { class: "soft version" }, `version ${dataset.version}`)),
      made("div", { class: "halves" },
        made("div", {}, explained(dataset)),
        made("div", { class: "gauges" }, made("h3", {}, "Budget"), gauges(budget, account.account))),
      made("details", { class: "declared", open: datasets.length === 1 },
        made("summary", {}, `Declared columns (${dataset.columns.length})`), columnTable(dataset)));
  });
  const none = made("p", { class: "card soft" }, "No data set is open to this account. The owner of the service can change that.");
  return made("section", { class: "stack", "aria-labelledby": "datasets-title" },
    made("div", {}, made("h1", { id: "datasets-title" }, "Data sets and budgets"),
      made("p", { class: "lead" }, "What the owner declares of the data, and how much may still be asked.")),
    cards.length ? cards : none);
}
