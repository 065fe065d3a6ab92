// The price of the question in the box, kept up to date while it is typed. Nothing is spent and no data are read.

import * as api from "./api.js";
import { fraction, isNothing, worded } from "./amounts.js";
import { notes, rounded } from "./answer.js";
import { afterwards, capName } from "./budget.js";
import { filled, made } from "./made.js";
import { refusalBox } from "./notices.js";

const PAUSE = 350; // milliseconds without a key before the service is asked

/** A live preview in a place; `question()` gives what is in the box, `changed(state)` is told every outcome: {asked, found or refusal} or null. */
export function livePreview({ place, question, changed, me, failed }) {
  let timer = 0;
  let running = null;
  let latest = null; // the newest pricing, which an older one that was stopped gives way to

  function now() {
    clearTimeout(timer);
    running?.abort();
    latest = priceOf(question());
    return latest;
  }

  async function priceOf(asked) {
    if (!asked.sql.trim()) return show(null, idle());
    running = new AbortController();
    place.classList.add("waiting");
    try {
      const found = await api.cost(asked, running.signal);
      return show({ asked, found }, priced(found, me));
    } catch (problem) {
      if (problem.name === "AbortError") return latest;
      if (problem.status === 401) return failed(problem);
      return show({ asked, refusal: problem }, [refusalBox(problem, { title: "This cannot be answered as it stands" })]);
    }
  }

  function show(state, content) {
    place.classList.remove("waiting");
    filled(place, content);
    changed(state);
    return state;
  }

  filled(place, idle());
  return {
    now,
    soon() {
      clearTimeout(timer);
      running?.abort();
      latest = null;
      place.classList.add("waiting");
      timer = setTimeout(now, PAUSE);
    },
    stop() { clearTimeout(timer); },
  };
}

const idle = () => [made("p", { class: "soft" }, "Type a question, or choose an example: its price and its accuracy appear here before anything is spent.")];

/** Whether a question that was priced takes anything from a budget. */
export const costsSomething = ({ cost, repeated }) => !repeated && !(isNothing(fraction(cost.amount)) && isNothing(fraction(cost.delta)));

function priced(found, me) {
  const paid = costsSomething(found);
  const why = found.repeated ? "answered before" : "nothing is spent here";
  return [
    found.refusal ? refusalBox(found.refusal, { title: "It would be refused now" }) : null,
    made("p", { class: "price" }, made("span", { class: "price-label" }, "Price"),
      made("span", { class: "price-amount" }, paid ? worded(found.cost) : "Free"), paid ? null : made("span", { class: "badge good" }, why)),
    accuracies(found),
    paid && found.caps.length ? leftTable(found, me) : null,
    notes(found),
  ];
}

function accuracies({ columns, kinds, accuracy, mode }) {
  const figures = columns.map((name, place) => [name, accuracy[place], kinds[place]]).filter(([, , kind]) => kind === "figure");
  return made("div", { class: "accuracies" }, made("h3", {}, "Accuracy"),
    made("dl", {}, figures.map(([name, width]) => made("div", {}, made("dt", {}, name), made("dd", {}, expected(width, mode))))),
    figures.some(([, width]) => width > 0) ? made("p", { class: "soft small" }, "Half-width of a 95 % interval.") : null);
}

const expected = (width, mode) => (width === null ? (mode === "dp" ? "± ?, by size of group" : "told with the answer") : width === 0 ? "no noise is added" : `± ${rounded(width)}`);

/** What is left under each cap now and afterwards. */
export function leftTable({ caps, cost }, me) {
  const rows = caps.map(cap => {
    const [before, after] = afterwards(cap, cost);
    return made("tr", {}, made("th", { scope: "row" }, capName(cap, me)), made("td", { class: "number" }, before),
      made("td", { class: "number" }, after ?? made("span", { class: "bad" }, "not enough")));
  });
  return made("table", { class: "left" }, made("caption", { class: "unseen" }, "What is left of the budgets"),
    made("thead", {}, made("tr", {}, made("th", { scope: "col" }, "Budget of"),
      made("th", { scope: "col", class: "number" }, "Left now"), made("th", { scope: "col", class: "number" }, "Left after"))),
    made("tbody", {}, rows));
}
