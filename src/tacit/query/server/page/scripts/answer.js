// An answer as a table: every figure with the width of its noise, intervals as [low, high].

import { worded } from "./amounts.js";
import { made, scrolled } from "./made.js";
import { shareBar } from "./share.js";
import { spreads } from "./spread.js";
import { moment, rowsWorded } from "./words.js";

/** The card with the table, its badges, its notes, and ways to take it along. */
export function answerCard(reply, question) {
  const title = made("h2", { tabindex: "-1", id: "answer-title" }, reply.dummy ? "Answer on dummy data" : "Answer");
  return made("section", { class: `card answer${reply.dummy ? " dummy" : ""}`, "aria-labelledby": "answer-title" },
    reply.dummy ? made("p", { class: "dummy-banner" }, made("strong", {}, "Dummy data."), " These figures are made up within the declared bounds and say nothing of anybody.") : null,
    made("div", { class: "card-head" }, title, badges(reply), made("span", { class: "soft version" }, about(reply))),
    answerTable(reply),
    accuracyNote(reply),
    notes(reply),
    question ? shareBar(reply, question) : null);
}

function badges(reply) {
  if (reply.dummy) return made("span", { class: "badge warn" }, `not charged · would cost ${worded(reply.cost)}`);
  if (reply.repeated) return made("span", { class: "badge good" }, "free, answered before");
  const charged = worded(reply.charged);
  return made("span", { class: "badge" }, charged === "nothing" ? "free" : `charged ${charged}`);
}

const about = reply => (reply.number ? `line ${reply.number} · ${moment(reply.time)}` : rowsWorded(reply.rows.length));

/** The rows; keys are heads of their rows. */
export function answerTable(reply) {
  const caption = `${reply.dummy ? "Dummy answer" : "Answer"}, ${rowsWorded(reply.rows.length)}`;
  const head = reply.columns.map((name, place) => made("th", { scope: "col", class: isFigure(reply, place) ? "number" : null }, name));
  const drawn = spreads(reply);
  if (drawn) head.push(made("td", { class: "spread soft small", "aria-hidden": "true" }, `${drawn.name}, with its interval`));
  const body = reply.rows.map((row, at) => made("tr", {}, row.map((value, place) => cell(reply, value, at, place)), drawn ? made("td", { class: "spread", "aria-hidden": "true" }, drawn.cells[at]) : null));
  const none = made("tr", {}, made("td", { colspan: reply.columns.length, class: "soft" }, "No group is shown: none is common enough, or HAVING keeps none."));
  return scrolled(caption, made("table", { class: "figures" }, made("caption", { class: "unseen" }, caption),
    made("thead", {}, made("tr", {}, head)), made("tbody", {}, body.length ? body : none)));
}

const isFigure = (reply, place) => reply.kinds[place] === "figure";

function cell(reply, value, at, place) {
  if (!isFigure(reply, place)) return made("th", { scope: "row" }, value === null ? made("em", { class: "soft" }, "missing") : String(value));
  const width = reply.accuracy[at][place];
  return made("td", { class: "number" }, made("span", { class: "value" }, figure(value, width)),
    value === null ? null : widthOf(reply, width));
}

function widthOf({ mode }, width) {
  if (width) return made("span", { class: "width" }, ` ± ${rounded(width)}`);
  return width === null && mode === "dp" ? made("span", { class: "width" }, " ± ?") : null;
}

/** A figure with as many decimals as its accuracy deserves; the copies have all digits. */
export function figure(value, width) {
  if (value === null) return "–";
  if (Array.isArray(value)) return `[${value.map(end => figure(end, 0)).join(", ")}]`;
  if (typeof value === "boolean" || typeof value === "string") return String(value);
  if (width === null && !Number.isInteger(value)) return value.toLocaleString("en", { maximumSignificantDigits: 6 });
  const most = width ? Math.min(8, Math.max(0, 1 - Math.floor(Math.log10(width)))) : 6;
  return value.toLocaleString("en", { maximumFractionDigits: most });
}

/** A half-width with two or three digits. */
export const rounded = width => Number(width.toPrecision(width >= 100 ? 3 : 2)).toLocaleString("en", { maximumSignificantDigits: 6 });

function accuracyNote(reply) {
  const figures = reply.accuracy.flatMap(row => row.filter((_, place) => isFigure(reply, place)));
  const known = figures.some(width => width > 0) ? "± is the half-width of a 95 % interval: in 95 of 100 answers the noise is smaller. " : "";
  const open = reply.mode === "dp" && figures.includes(null) ? "± ? is not known: it depends on how many people have values nearby; the notes say more." : "";
  if (known || open) return made("p", { class: "soft small" }, known + open);
  const whole = figures.length > 0 && figures.every(width => width === 0);
  return whole && reply.mode === "exact" ? made("p", { class: "soft small" }, "These figures are exact.") : null;
}

/** What else one should know. */
export function notes({ notes: all, dummy }) {
  const shown = all.filter(note => !(dummy && note.startsWith("DUMMY")));
  if (!shown.length) return null;
  return made("details", { class: "notes" }, made("summary", {}, `Notes (${shown.length})`),
    made("ul", {}, shown.map(note => made("li", {}, note))));
}
