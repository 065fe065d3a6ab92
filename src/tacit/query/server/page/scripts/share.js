// An answer to take along: as CSV or JSON, and the same question by command line and in Python.

import { made, said } from "./made.js";

const quoted = value => {
  const text = value === null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** CSV with all digits: a column of half-widths beside each figure that has one, two columns for an interval. */
export function csv({ columns, kinds, accuracy, rows }) {
  const isPair = columns.map((_, place) => rows.some(row => Array.isArray(row[place])));
  const hasWidth = columns.map((_, place) => kinds[place] === "figure" && accuracy.some(row => row[place]));
  const parts = (place, plain, width) => [...plain, ...(hasWidth[place] ? [width] : [])];
  const head = columns.flatMap((name, place) => parts(place, isPair[place] ? [`${name}_low`, `${name}_high`] : [name], `${name}_half_width_95`));
  const lines = rows.map((row, at) => row.flatMap((value, place) =>
    parts(place, isPair[place] ? (value ?? [null, null]) : [value], accuracy[at][place])));
  return [head, ...lines].map(line => line.map(quoted).join(",")).join("\r\n") + "\r\n";
}

/** The answer as it came; numbers that are too large for JavaScript keep their digits. */
export const json = reply => JSON.stringify(reply, (_, value) => (typeof value === "bigint" ? JSON.rawJSON?.(String(value)) ?? String(value) : value), 2);

const shell = text => `'${text.replaceAll("'", `'"'"'`)}'`;

/** The same question for a terminal; the key stays in a file. */
export function command({ sql, spend, project }, dummy) {
  const options = [["--spend", spend], ["--project", project]].filter(([, value]) => value).map(([name, value]) => ` ${name} ${shell(value)}`);
  return `tacit query --url ${location.origin} --key-file my.key${dummy ? " --dummy" : ""} \\\n  ${shell(sql)}${options.join("")}`;
}

/** The same question in Python. */
export function python({ sql, spend, project }, dummy) {
  const options = [["spend", spend], ["project", project]].filter(([, value]) => value).map(([name, value]) => `, ${name}=${JSON.stringify(value)}`);
  return [
    "from pathlib import Path", "", "from tacit.query.client import Client", "",
    `key = Path("my.key").read_text().strip()`,
    `with Client(${JSON.stringify(location.origin)}, key=key) as service:`,
    `    answer = service.${dummy ? "dummy" : "query"}(${JSON.stringify(sql)}${options.join("")})`,
    "    print(answer.frame())",
  ].join("\n");
}

/** Buttons that copy, and the two snippets. */
export function shareBar(reply, question) {
  const snippets = [["Command line", command(question, reply.dummy)], ["Python", python(question, reply.dummy)]];
  return made("div", { class: "share" },
    made("div", { class: "row" }, made("span", { class: "soft small" }, "Copy as"),
      copyButton("CSV", () => csv(reply)), copyButton("JSON", () => json(reply)),
      snippets.map(([name, text]) => copyButton(name, () => text))),
    made("details", {}, made("summary", {}, "The same by command line and in Python"),
      snippets.map(([name, text]) => [made("h3", {}, name), made("pre", {}, made("code", {}, text))])));
}

/** A button that copies a text, and says so. */
export function copyButton(label, text) {
  const button = made("button", { type: "button", class: "quiet small", "aria-label": `Copy as ${label}`, onclick: async () => {
    const done = await copied(text());
    button.textContent = done ? "Copied ✓" : "Copying is not allowed here";
    said(done ? `${label} copied` : "Copying is not allowed here");
    setTimeout(() => { button.textContent = label; }, 1800);
  } }, label);
  return button;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
