// Beside the box: the chosen data set, what is left, and its columns.

import { gauges } from "./budget.js";
import { columnList } from "./columns.js";
import { explained, modeMark } from "./datasets.js";
import { choice, field, filled, made } from "./made.js";

/** `insert` puts a name into the box, `choose` takes another data set. */
export function sidebar({ state, insert, choose }) {
  const [about, columns] = [made("div"), made("div")];
  const budget = made("div", { class: "gauges" });
  const chooser = state.datasets.length > 1
    ? choice("dataset", state.datasets.map(({ name }) => [name, name]), state.datasets[0].name, choose) : null;
  const title = made("h2", { class: "dataset-title" });
  let shown = null;

  function show(dataset, priced = null) {
    if (!dataset) return filled(about, made("p", { class: "soft" }, "No data set is open to this account."));
    if (chooser) chooser.value = dataset.name;
    filled(budget, made("h3", {}, "Budget"), gauges(state.budgets.find(one => one.dataset === dataset.name), state.account.account, priced));
    if (dataset === shown) return null;
    shown = dataset;
    title.textContent = dataset.name;
    filled(about, made("p", { class: "row" }, modeMark(dataset)),
      made("details", { open: window.innerWidth > 900 }, made("summary", {}, "How it answers"), explained(dataset)));
    return filled(columns, made("details", { open: window.innerWidth > 900 }, made("summary", {}, `Columns (${dataset.columns.length})`),
      made("p", { class: "soft small" }, "Press one to put it into the question."), columnList(dataset, insert)));
  }

  return { show, node: made("aside", { class: "card side", "aria-label": "About the data set" }, chooser ? field("Data set", chooser) : title, budget, about, columns) };
}
