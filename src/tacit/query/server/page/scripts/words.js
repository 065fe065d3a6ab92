// What names of the service mean, in plain words.

export const MODES = {
  dp: {
    name: "noisy answers",
    about: "Every answer carries random noise that hides each person. You choose how much of the budget a question may "
      + "spend: the more, the closer the answer is to the truth.",
  },
  exact: {
    name: "exact answers, restricted",
    about: "Answers are exact and cost nothing. A question is refused when it is about too few people, or when its answer "
      + "and the earlier ones together would tell somebody's value.",
  },
  interval: {
    name: "interval answers",
    about: "Answers cost nothing and are intervals that surely contain the truth. However many you ask, together they "
      + "never narrow down to one person's value.",
  },
  input: {
    name: "answers from a masked file",
    about: "Answers cost nothing: they are computed from a masked copy of the data, so single values in it are not true.",
  },
};

export const SCOPES = { dataset: "everybody together", project: "project", account: "account" };

export const ROLES = {
  owner: "owner: sees all budgets and the whole history, and may ask",
  analyst: "analyst: asks, and sees the own history",
  auditor: "auditor: reads the whole history and verifies the ledger",
};

/** Whose rows are protected. */
export function protectedUnit({ unit, rows_per_unit: rows }) {
  if (!unit) return "Every row counts as another person’s.";
  return `All rows with the same “${unit}” are protected together; at most ${rows} of them count.`;
}

/** The parameters of the mode as sentences. */
export function rules({ rules: given }) {
  const found = [];
  if (given.neighbours === "add_remove") found.push("Whether somebody is in the data at all is hidden.");
  if (given.neighbours === "replace") found.push("What somebody’s rows say is hidden; how many people there are is public.");
  if (given.least) found.push(`Sets of fewer than ${given.least}, or of all but fewer, are not answered.`);
  if (given.overlap !== undefined) found.push(`Two questions may have at most ${given.overlap} people in common.`);
  if (given.threshold_delta) found.push("Grouping by a column without a list shows only keys that many people have.");
  for (const [column, { absolute }] of Object.entries(given.bands ?? {})) found.push(`Of every value of “${column}” at least ${stepWorded(absolute)} to each side stays open.`);
  return found;
}

/** What is declared of a column's values. */
export function domain(column) {
  if (column.values) return column.values.join(", ");
  if (column.kind === "boolean") return "true, false";
  if (column.low === undefined) return column.kind === "text" ? "no list: rare values stay hidden" : "no bounds";
  const step = column.step && column.step !== "1" ? `, in steps of ${stepWorded(column.step)}` : "";
  return `${column.low} to ${column.high}${step}`;
}

const stepWorded = step => (step.includes("/") ? String(step.split("/")[0] / step.split("/")[1]) : step);

/** A moment as the reader's clock shows it. */
export function moment(time) {
  const found = new Date(time);
  if (Number.isNaN(found.getTime())) return time;
  return found.toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

const plural = (number, one, many) => `${number} ${number === 1 ? one : many}`;
export const rowsWorded = number => plural(number, "row", "rows");
export const linesWorded = number => plural(number, "line", "lines");
