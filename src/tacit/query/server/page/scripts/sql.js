// Names and values as SQL writes them.

import { decimal, fraction } from "./amounts.js";

const RESERVED = new Set(("all and any as asc between by case cast cross date desc distinct else end except exists false from full "
  + "group having in inner intersect into is join left like limit natural not null on or order outer right select set some table "
  + "then true union unique using values when where with").split(" "));

/** A name: as it is, or in double quotes where it would be read otherwise. */
export function identifier(name) {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !RESERVED.has(name.toLowerCase()) ? name : `"${name.replaceAll('"', '""')}"`;
}

export const text = value => `'${String(value).replaceAll("'", "''")}'`;

/** The name of a declared column; one of a joined table keeps its table in front. */
export function columnName(dataset, name) {
  const join = dataset.joins.find(one => name.startsWith(`${one.table}.`));
  return join ? `${identifier(join.table)}.${identifier(name.slice(join.table.length + 1))}` : identifier(name);
}

/** Whole steps of a column's grid as a number. */
export function steps(column, code) {
  const step = fraction(column.step ?? "1");
  return decimal({ above: BigInt(code) * step.above, below: step.below });
}

/** The day that a code counts from 1970 on. */
export const day = code => new Date(Number(code) * 86400000).toISOString().slice(0, 10);
