// Budgets as gauges: what is spent fills the bar; what a question would take is hatched.

import { covers, decimal, fraction, isNothing, minus, share, symbol, tiny } from "./amounts.js";
import { made } from "./made.js";
import { SCOPES } from "./words.js";

/** Whose cap it is: "everybody together", "project rents", "your account". */
export function capName(cap, me) {
  if (cap.scope === "dataset") return SCOPES.dataset;
  if (cap.scope === "account" && cap.name === me) return "your account";
  return `${SCOPES[cap.scope]} ${cap.name}`;
}

/** A gauge of one cap; with a cost also what it would take. */
function gauge(cap, me, cost) {
  const [limit, spent, left] = [cap.limit, cap.spent, cap.left].map(one => fraction(one.amount));
  const name = capName(cap, me);
  const used = share(spent, limit);
  const fill = made("span", { class: "fill" });
  fill.style.width = `${100 * Math.min(1, used)}%`;
  const bar = made("div", {
    class: `bar ${level(1 - used)}`, role: "meter", "aria-label": `Spent: ${name}`,
    "aria-valuemin": "0", "aria-valuemax": String(Number(decimal(limit))), "aria-valuenow": String(Number(decimal(spent))),
    "aria-valuetext": `${decimal(spent)} of ${decimal(limit)} spent, ${decimal(left)} left`,
  }, fill, cost ? taken(cap, cost, used) : null);
  return made("div", { class: "gauge" },
    made("div", { class: "gauge-head" }, made("span", { class: "gauge-name" }, name),
      made("span", { class: "gauge-left" }, `${symbol(cap.limit.unit)} = ${decimal(left)} left`)),
    bar,
    made("p", { class: "gauge-text" }, `${decimal(spent)} of ${decimal(limit)} spent${deltaText(cap)}`));
}

function taken(cap, cost, used) {
  const part = made("span", { class: "taken" });
  part.style.left = `${100 * Math.min(1, used)}%`;
  part.style.width = `${100 * Math.max(0, Math.min(1 - used, share(fraction(cost.amount), fraction(cap.limit.amount))))}%`;
  return part;
}

const level = left => (left <= 0 ? "empty" : left < 0.15 ? "low" : "fine");

function deltaText(cap) {
  const limit = fraction(cap.limit.delta);
  if (isNothing(limit)) return "";
  return ` · δ ${tiny(fraction(cap.spent.delta))} of ${tiny(limit)}`;
}

/** What a cost would leave under a cap: [now, after], or null after when it does not fit. */
export function afterwards(cap, cost) {
  const left = { amount: fraction(cap.left.amount), delta: fraction(cap.left.delta) };
  const taken = { amount: fraction(cost.amount), delta: fraction(cost.delta) };
  const fits = covers(left.amount, taken.amount) && covers(left.delta, taken.delta);
  const unit = symbol(cap.limit.unit);
  return [`${unit} = ${decimal(left.amount)}`, fits ? `${unit} = ${decimal(minus(left.amount, taken.amount))}` : null];
}

/** All gauges of one data set, with what a priced question would take from those that it counts on; a sentence where nothing is spent. */
export function gauges(budget, me, priced = null) {
  if (!budget || !budget.caps.length) return [made("p", { class: "soft free" }, "Nothing is spent here: questions are free.")];
  const concerns = cap => priced?.caps.some(one => one.scope === cap.scope && one.name === cap.name);
  return budget.caps.map(cap => gauge(cap, me, concerns(cap) ? priced.cost : null));
}
