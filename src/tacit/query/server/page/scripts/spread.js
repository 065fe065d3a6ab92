// Beside the first figure that has a width: where its interval lies, all rows on one scale. The numbers stand in the table.

import { made } from "./made.js";

/** For each row its drawing, or null when there is nothing to compare. */
export function spreads({ rows, kinds, accuracy, columns }) {
  const place = kinds.findIndex((kind, at) => kind === "figure" && (accuracy.some(row => row[at] > 0) || rows.some(row => Array.isArray(row[at]))));
  if (place < 0 || rows.length < 2) return null;
  const ranges = rows.map((row, at) => range(row[place], accuracy[at][place] ?? 0));
  const known = ranges.filter(Boolean);
  if (!known.length) return null;
  const [least, most] = [Math.min(0, ...known.map(one => one.low)), Math.max(0, ...known.map(one => one.high))];
  const at = value => `${(100 * (value - least)) / (most - least || 1)}%`;
  return { name: columns[place], cells: ranges.map(one => drawn(one, at)) };
}

function range(value, width) {
  if (value === null) return null;
  if (Array.isArray(value)) return { low: Number(value[0]), high: Number(value[1]), middle: null };
  return { low: Number(value) - width, high: Number(value) + width, middle: Number(value) };
}

function drawn(one, at) {
  const track = made("span", { class: "track", "aria-hidden": "true" });
  if (!one) return track;
  const bar = made("span", { class: "range" });
  bar.style.left = at(one.low);
  bar.style.right = `calc(100% - ${at(one.high)})`;
  track.append(bar);
  if (one.middle === null) return track;
  const dot = made("span", { class: "dot" });
  dot.style.left = at(one.middle);
  track.append(dot);
  return track;
}
