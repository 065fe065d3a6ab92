// The page: log in, the sections, log out.

import * as api from "./api.js";
import { askView } from "./ask.js";
import { datasetsView } from "./datasets.js";
import { historyView } from "./history.js";
import { busyButton, by, filled, made, said } from "./made.js";
import { clearNotices, notice } from "./notices.js";
import { ROLES } from "./words.js";

const TITLES = { ask: "Ask", datasets: "Data sets and budgets", history: "History" };
let page = null; // what is open for the account; null before log in

async function enter(key) {
  const account = await api.account(key);
  api.session.keep(key);
  const state = { account, datasets: [], budgets: [], refresh, failed };
  [state.datasets, state.budgets] = await Promise.all([api.datasets(), api.budgets()]);
  page = { state, views: {} };
  if (account.role !== "auditor") page.views.ask = askView(state);
  page.views.history = historyView(state, { putBack: page.views.ask ? putBack : null });
  by("login").hidden = true;
  who(account);
  tabs();
  show();
}

/** Back to the question box with a question of the history. */
function putBack(question) {
  location.hash = "#ask";
  show();
  page.views.ask.put(question);
}

async function refresh() {
  try {
    page.state.budgets = await api.budgets();
    page.views.ask?.refreshed();
  } catch (problem) {
    failed(problem, "The budgets could not be read");
  }
}

/** Problems are shown until they are dismissed; a key that is no longer known logs out. */
function failed(problem, title = "That did not work") {
  if (problem.status === 401) return leave("Your key is no longer known to the service. Log in again.");
  return notice(problem, title);
}

function who({ account, role, projects }) {
  by("who").hidden = false;
  filled(by("who"), made("span", { class: "account", title: ROLES[role] }, account), made("span", { class: "role" }, role),
    projects.length ? made("span", { class: "soft small projects" }, projects.join(", ")) : null,
    made("button", { type: "button", class: "quiet small", id: "logout", onclick: () => leave("") }, "Log out"));
}

function tabs() {
  const names = page.views.ask ? ["ask", "datasets", "history"] : ["datasets", "history"];
  by("tabs").hidden = false;
  filled(by("tabs"), names.map(name => made("a", { href: `#${name}`, "data-tab": name }, name === "datasets" ? "Data sets" : TITLES[name])));
}

function show() {
  if (!page) return;
  const wanted = location.hash.slice(1);
  const first = page.views.ask ? "ask" : "datasets";
  const name = wanted in TITLES && (wanted !== "ask" || page.views.ask) ? wanted : first;
  for (const tab of by("tabs").children) {
    if (tab.dataset.tab === name) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  document.title = `${TITLES[name]} · Tacit query service`;
  if (name === "datasets") refresh().then(() => page && location.hash === "#datasets" && filled(by("view"), datasetsView(page.state)));
  filled(by("view"), name === "datasets" ? datasetsView(page.state) : page.views[name].node);
  if (name === "history") page.views.history.load();
}

function leave(message) {
  api.session.forget();
  page?.views.ask?.left();
  page = null;
  clearNotices();
  filled(by("view"));
  for (const id of ["tabs", "who"]) filled(by(id)).hidden = true;
  history.replaceState(null, "", location.pathname);
  document.title = "Tacit query service";
  ask(message);
}

function ask(message = "") {
  by("login").hidden = false;
  by("key-problem").textContent = message;
  by("key").value = "";
  by("key").focus();
}

const submit = busyButton({ class: "primary", id: "login-button" }, "Log in", async () => {
  const key = by("key").value.trim();
  if (!/^[\x21-\x7e]+$/.test(key)) return ask("This is no API key: paste the one that the owner gave you, without spaces.");
  by("key").value = "";
  try {
    await enter(key);
    said("Logged in");
    by("main").focus({ preventScroll: true });
  } catch (problem) {
    api.session.forget();
    ask(problem.status === 401 ? "Nobody has this key. Check that you pasted all of it, or ask the owner for a new one." : `It did not work: ${problem.message}.`);
  }
});
by("login-form").querySelector("button").replaceWith(submit);
by("login-form").addEventListener("submit", event => { event.preventDefault(); submit.run(); });
document.querySelector(".skip").addEventListener("click", event => { event.preventDefault(); by("main").focus(); });
window.addEventListener("hashchange", show);
window.addEventListener("unhandledrejection", event => notice(event.reason ?? {}, "That did not work"));

if (api.session.key) enter(api.session.key).catch(problem => leave(problem.status === 401 ? "" : problem.message));
else ask();
