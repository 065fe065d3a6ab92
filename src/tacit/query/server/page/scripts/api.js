// The way to the service. The key is kept in this tab alone (sessionStorage) and goes out in one header only.

const PLACE = "tacit-key";

/** What the service refused: code, sentence and hint. */
export class Refused extends Error {
  constructor({ code = "failed", sentence = "the service gave no reason", hint = "" }, status = 0) {
    super(sentence);
    Object.assign(this, { code, sentence, hint, status });
  }
}

let left = 0; // how many times somebody logged out in this tab

export const session = {
  get key() { return sessionStorage.getItem(PLACE); },
  keep(key) { sessionStorage.setItem(PLACE, key); },
  forget() {
    sessionStorage.removeItem(PLACE);
    left += 1;
  },
};

/** What nobody waits for any more: it neither comes nor fails, so that it touches nothing of who logs in next. */
const never = () => new Promise(() => {});

const UNREACHABLE = {
  code: "unreachable",
  sentence: "the service does not answer",
  hint: "is it running, and is this computer connected? If you were asking, the history tells whether it was answered: then it is free to read",
};

/** Whole numbers beyond 2^53 keep their digits where the browser can tell them. */
const exactly = (_, value, context) =>
  (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
    ? BigInt(context.source) : value);

/** The answer of the service; what was asked before a log out is never answered after it. */
async function sent(path, { key = session.key, ...options } = {}) {
  if (key === null) return never();
  const before = left;
  let answer, said;
  try {
    answer = await fetch(path, {
      ...options,
      headers: { Authorization: `Bearer ${key}`, ...options.headers },
      cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer",
    });
    said = JSON.parse(await answer.text(), exactly);
  } catch (problem) {
    if (left !== before) return never();
    if (problem.name === "AbortError") throw problem;
    throw new Refused(UNREACHABLE);
  }
  if (left !== before) return never();
  if (!answer.ok) throw new Refused(said, answer.status);
  return said;
}

const asked = (path, question, options = {}) =>
  sent(path, { method: "POST", body: JSON.stringify(question), headers: { "Content-Type": "application/json" }, ...options });

export const account = key => sent("/account", { key });
export const datasets = async () => (await sent("/datasets")).datasets;
export const budgets = async () => (await sent("/budget")).budgets;
export const cost = (question, signal) => asked("/cost", question, { signal });
export const query = question => asked("/query", question);
export const dummy = question => asked("/dummy", question);
export const verify = head => sent(head ? `/verify?head=${encodeURIComponent(head)}` : "/verify");

export async function history(before, limit) {
  return (await sent(`/history?limit=${limit}${before ? `&before=${before}` : ""}`)).entries;
}
