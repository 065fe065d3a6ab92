// A question of the ledger as SQL: asked again, it is the same question to the service.

import { decimal, fraction } from "./amounts.js";
import { where } from "./condition.js";
import { columnName, identifier, steps } from "./sql.js";

const CALLS = { sum: "SUM", mean: "AVG", variance: "VARIANCE" };

function aggregate([what, column, share], dataset) {
  if (what === "count") return "COUNT(*)";
  if (what === "units") return `COUNT(DISTINCT ${identifier(dataset.unit ?? "unit")})`;
  const name = columnName(dataset, column);
  if (what !== "quantile") return `${CALLS[what] ?? what}(${name})`;
  return share === "1/2" ? `MEDIAN(${name})` : `QUANTILE(${name}, ${decimal(fraction(share))})`;
}

function key([name, width], dataset) {
  const column = dataset.columns.find(one => one.name === name) ?? {};
  return width ? `BIN(${columnName(dataset, name)}, ${steps(column, width)})` : columnName(dataset, name);
}

/** The columns of the stored answer: keys first, then figures. */
export function headings(question, dataset) {
  return { keys: question.by.map(one => key(one, dataset)), figures: question.aggregates.map(one => aggregate(one, dataset)) };
}

/** The whole question. */
export function questionSql(question, dataset) {
  const { keys, figures } = headings(question, dataset);
  const joins = question.joined.map(table => {
    const join = dataset.joins.find(one => one.table === table);
    return ` JOIN ${identifier(table)} USING (${identifier(join?.key ?? "key")})`;
  });
  const condition = where(question.where, dataset);
  return [
    `SELECT ${[...keys, ...figures].join(", ")}`,
    `FROM ${identifier(question.dataset)}${joins.join("")}`,
    condition && `WHERE ${condition}`,
    keys.length > 0 && `GROUP BY ${keys.join(", ")}`,
  ].filter(Boolean).join("\n");
}
