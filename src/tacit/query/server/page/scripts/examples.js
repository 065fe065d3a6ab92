// Questions that fit the declared columns of a data set.

import { columnName, identifier } from "./sql.js";

const OPEN = new Set(["dp", "input"]); // modes in which every column may be a key or in a condition

/** Pairs of a title and a question. */
export function examples(dataset) {
  const from = `FROM ${identifier(dataset.name)}`;
  const own = dataset.columns.filter(column => !dataset.joins.some(({ table }) => column.name.startsWith(`${table}.`)));
  const free = own.filter(column => OPEN.has(dataset.mode) || !column.confidential);
  const group = free.find(column => column.kind === "category" || column.kind === "boolean");
  const numbers = own.filter(column => (column.kind === "integer" || column.kind === "number") && column.low !== undefined);
  const figure = numbers.find(column => column.confidential) ?? numbers[0];
  const cut = free.find(column => column !== figure && column.low !== undefined && column.kind !== "date");
  const name = column => columnName(dataset, column.name);
  const short = column => column.name.replace(/\W+/g, "_").slice(0, 40);
  return [
    ["How many", `SELECT COUNT(*) AS n\n${from}`],
    group && ["How many of each", `SELECT ${name(group)}, COUNT(*) AS n\n${from}\nGROUP BY ${name(group)}`],
    figure && ["Average", `SELECT ${group ? `${name(group)}, ` : ""}AVG(${name(figure)}) AS mean_${short(figure)}\n${from}${group ? `\nGROUP BY ${name(group)}` : ""}`],
    cut && ["In bins", `SELECT BIN(${name(cut)}, ${width(cut)}) AS from_${short(cut)}, COUNT(*) AS n\n${from}\nGROUP BY from_${short(cut)}`],
    cut && ["Only some", `SELECT COUNT(*) AS n\n${from}\nWHERE ${name(cut)} >= ${middle(cut)}`],
    figure && OPEN.has(dataset.mode) && ["Median", `SELECT MEDIAN(${name(figure)}) AS median\n${from}`],
    dataset.unit && ["Units", `SELECT COUNT(DISTINCT ${identifier(dataset.unit)}) AS units\n${from}`],
  ].filter(Boolean);
}

const stepOf = column => {
  const [above, below = "1"] = (column.step ?? "1").split("/").map(Number);
  return above / below;
};

/** About eight bins, in whole steps. */
function width(column) {
  const step = stepOf(column);
  return plain(step * Math.max(1, Math.ceil((column.high - column.low) / step / 8)));
}

function middle(column) {
  const step = stepOf(column);
  return plain(column.low + step * Math.round((column.high - column.low) / step / 2));
}

const plain = number => String(Number(number.toPrecision(12)));
