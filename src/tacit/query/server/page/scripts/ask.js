// The box for questions: typed, priced, tried on dummy data, asked.

import * as api from "./api.js";
import { symbol } from "./amounts.js";
import { answerCard } from "./answer.js";
import { confirmed } from "./confirm.js";
import { editor } from "./editor.js";
import { busyButton, choice, field, filled, made, said } from "./made.js";
import { refusalBox } from "./notices.js";
import { costsSomething, livePreview } from "./preview.js";
import { sidebar } from "./sidebar.js";

/** The section with data set, box, preview and answer; `put` fills the box from elsewhere. */
export function askView(state) {
  const me = state.account.account;
  let dataset = state.datasets[0] ?? null;
  let project = state.account.projects.length === 1 ? state.account.projects[0] : null;
  const result = made("div", { id: "result" });
  const place = made("div", { class: "preview", role: "group", "aria-label": "Price before asking", "aria-live": "polite" });
  const spend = made("input", {
    id: "spend", inputmode: "decimal", autocomplete: "off", placeholder: "e.g. 0.1", "aria-describedby": "spend-about", oninput: () => preview.soon(),
  });
  const unit = made("span", { class: "unit", "aria-hidden": "true" });
  const spending = made("div", { class: "field spend" }, made("label", { for: "spend" }, "Spend"), made("div", { class: "with-unit" }, unit, spend),
    made("p", { id: "spend-about", class: "soft small" }, "More budget, less noise."));
  const box = editor({ changed: () => { follow(); preview.soon(); }, chosen: () => preview.now(), ask: () => ask.run() });
  const side = sidebar({ state, insert: text => box.insert(text), choose: name => choose(name) });
  const ask = busyButton({ id: "ask", class: "primary", "aria-keyshortcuts": "Control+Enter" }, "Ask", asked);
  const dummy = busyButton({ id: "dummy" }, "Try on dummy data", tried);
  const preview = livePreview({ place, question, changed: priced, me, failed: state.failed });

  /** What is in the box, as the service takes it. */
  function question() {
    const given = { sql: box.text() };
    if (dataset?.spends && spend.value.trim()) given.spend = spend.value.trim();
    if (project) given.project = project;
    return given;
  }

  /** Show the data set that the text names, so that columns and the spend field fit. */
  function follow() {
    const named = /\bfrom\s+"?(\w+)/i.exec(box.text())?.[1]?.toLowerCase();
    if (named && named !== dataset?.name.toLowerCase() && state.datasets.some(one => one.name.toLowerCase() === named)) choose(named);
  }

  function choose(name) {
    dataset = state.datasets.find(one => one.name === name) ?? state.datasets.find(one => one.name.toLowerCase() === name.toLowerCase());
    show();
  }

  function show() {
    spending.hidden = !dataset?.spends;
    unit.textContent = `${symbol(dataset?.spends)} =`;
    side.show(dataset);
    box.examples(dataset);
  }

  function priced(now) {
    const found = now?.found;
    if (found && dataset && found.dataset !== dataset.name) dataset = state.datasets.find(one => one.name === found.dataset) ?? dataset;
    side.show(dataset, found && costsSomething(found) && !found.refusal ? found : null);
    ask.say(found?.repeated ? "Read again, free" : "Ask");
  }

  async function tried() {
    await answered(api.dummy, question(), "Trying on dummy data…");
  }

  async function asked() {
    const now = await preview.now();
    if (!now) return box.focus();
    if (!now.found || now.found.refusal) return refused(now.found?.refusal ?? now.refusal);
    if (costsSomething(now.found) && !(await confirmed(now.found, me))) return said("Nothing was asked or spent");
    await answered(api.query, now.asked, "Asking…");
    state.refresh().then(() => preview.now());
    return null;
  }

  async function answered(call, given, waiting) {
    filled(result, made("p", { class: "card loading" }, waiting));
    try {
      const reply = await call(given);
      filled(result, answerCard(reply, given));
      result.querySelector("#answer-title").focus();
    } catch (problem) {
      if (problem.status === 401) return state.failed(problem);
      refused(problem);
    }
  }

  function refused(problem) {
    const close = made("button", { type: "button", class: "quiet close", "aria-label": "Dismiss this message", onclick: () => { filled(result); box.focus(); } }, "✕");
    const shown = refusalBox(problem);
    shown.append(close);
    shown.setAttribute("role", "alert");
    filled(result, shown);
    shown.scrollIntoView({ block: "nearest" });
  }

  const projects = state.account.projects.length > 1
    ? field("Project", choice("project", [["", "choose one"], ...state.account.projects.map(name => [name, name])], "", name => { project = name; preview.soon(); }))
    : null;
  show();
  return {
    node: made("section", { class: "ask", "aria-labelledby": "ask-title" },
      made("h1", { id: "ask-title", class: "unseen" }, "Ask"), side.node,
      made("div", { class: "stack" },
        made("div", { class: "card question" },
          made("div", { class: "box-side" }, box.node, made("div", { class: "row controls" }, spending, projects, made("div", { class: "row buttons" }, ask, dummy))),
          made("div", { class: "preview-side" }, made("h2", { class: "small-title" }, "Before you ask"), place)),
        result)),
    refreshed() { side.show(dataset); },
    left() { preview.stop(); },
    put({ sql, amount, name }) {
      box.put(sql);
      if (amount) spend.value = amount;
      if (name && state.account.projects.includes(name)) {
        project = name;
        if (projects) projects.querySelector("select").value = name;
      }
      follow();
      preview.now();
      box.focus();
    },
  };
}
