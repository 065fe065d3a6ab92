// The declared columns: all that is known of the data before a question is asked.

import { made, scrolled } from "./made.js";
import { columnName } from "./sql.js";
import { domain } from "./words.js";

/** Columns as buttons that put their name into the question. */
export function columnList(dataset, insert) {
  return made("ul", { class: "columns" }, dataset.columns.map(column => made("li", {},
    made("button", {
      type: "button", class: "column", "aria-label": `Insert ${column.name}`, onclick: () => insert(columnName(dataset, column.name)),
    },
    made("span", { class: "column-head" }, made("span", { class: "column-name" }, column.name),
      made("span", { class: "column-kind" }, column.kind), confidential(column)),
    made("span", { class: "column-domain" }, domain(column))))));
}

const confidential = column => (column.confidential ? made("span", { class: "mark" }, "confidential") : null);

/** Columns as a table, for reading. */
export function columnTable(dataset) {
  const rows = dataset.columns.map(column => made("tr", {},
    made("th", { scope: "row" }, made("code", {}, column.name)), made("td", {}, column.kind),
    made("td", {}, domain(column)), made("td", {}, confidential(column) ?? "public")));
  const caption = `Declared columns of ${dataset.name}`;
  return scrolled(caption, made("table", {}, made("caption", { class: "unseen" }, caption),
    made("thead", {}, made("tr", {}, ["Column", "Kind", "Values", "Protection"].map(name => made("th", { scope: "col" }, name)))),
    made("tbody", {}, rows)));
}
