// A condition of the ledger (a decision diagram over codes) as a WHERE that means exactly the same.

import { columnName, day, steps, text } from "./sql.js";

/** The text after WHERE; "" when all rows are meant. */
export function where(condition, dataset) {
  if ("met" in condition) return condition.met ? "" : "1 = 0";
  const found = paths(condition).map(path => path.map(([name, values]) => among(name, values, dataset)).join(" AND "));
  return found.length === 1 ? found[0] : found.map(one => `(${one})`).join("\n   OR ");
}

/** Every way through the diagram that ends at "in". */
function paths(node) {
  if ("met" in node) return node.met ? [[]] : [];
  return node.branches.flatMap(branch => paths(branch.then).map(rest => [[node.column, branch], ...rest]));
}

function among(name, values, dataset) {
  const sql = columnName(dataset, name);
  const column = dataset.columns.find(one => one.name === name) ?? { kind: "unknown" };
  const parts = values.texts ? ofTexts(sql, values) : ofCodes(sql, values.codes, column);
  return parts.length === 1 ? parts[0] : `(${parts.join(" OR ")})`;
}

function ofTexts(sql, { texts, others }) {
  const listed = texts.filter(one => one !== null);
  const missing = texts.includes(null) !== others;
  const known = !others ? equal(sql, listed.map(text)) : listed.length ? [`${sql} NOT IN (${listed.map(text).join(", ")})`] : [`${sql} IS NOT NULL`];
  return [...known, ...(missing ? [`${sql} IS NULL`] : [])];
}

function ofCodes(sql, codes, column) {
  const missing = codes[0] === null ? [`${sql} IS NULL`] : [];
  const spans = codes.filter(one => one !== null);
  if (column.values) return [...equal(sql, listed(spans).map(code => text(column.values[code]))), ...missing];
  if (column.kind === "boolean") return [...(listed(spans).length === 2 ? [`${sql} IS NOT NULL`] : listed(spans).map(code => `${sql} = ${code ? "TRUE" : "FALSE"}`)), ...missing];
  return [...spans.map(span => between(sql, span, column)), ...missing];
}

const listed = spans => spans.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, place) => first + place));
const equal = (sql, values) => (values.length === 0 ? [] : values.length === 1 ? [`${sql} = ${values[0]}`] : [`${sql} IN (${values.join(", ")})`]);

const FURTHEST = 2 ** 62; // where a column without bounds is cut

function between(sql, [first, last], column) {
  const shown = code => (column.kind === "date" ? `DATE ${text(day(code))}` : steps(column, code));
  const same = (code, bound) => (bound === undefined ? Math.abs(Number(code)) >= FURTHEST : column.kind === "date" ? day(code) === bound : Number(steps(column, code)) === Number(bound));
  const [least, most] = [same(first, column.low), same(last, column.high)];
  if (least && most) return `${sql} IS NOT NULL`;
  if (least) return `${sql} <= ${shown(last)}`;
  if (most) return `${sql} >= ${shown(first)}`;
  return first === last ? `${sql} = ${shown(first)}` : `${sql} BETWEEN ${shown(first)} AND ${shown(last)}`;
}
