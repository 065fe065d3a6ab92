// Every form is a change (data-edit), a question (data-ask) or a move (data-do); an error stays until it is dismissed.
import { page } from "./swap.js";
import { mended, mistaken } from "./mistakes.js";
import { settled } from "./keyed.js";

const address = form =>
  form.dataset.edit ? `/edit/${form.dataset.edit}` : form.dataset.ask ? `/ask/${form.dataset.ask}` : `/do/${form.dataset.do}`;

// A failure of ours, which the server cannot keep as a notice: it stays until the page is loaded anew.
const complain = text => {
  const notice = document.createElement("div");
  notice.className = "notice error";
  notice.append(Object.assign(document.createElement("p"), { textContent: text }));
  document.getElementById("notices").append(notice);
  return false;
};

// While an answer is on its way the page may be made anew: what the answer says is for the form that took the place of the sent one.
const present = form => form?.isConnected === false
  ? [...form.elements].map(one => one.id && document.getElementById(one.id)?.form).find(Boolean) ?? form : form;

// A form that was typed into is marked with the number of the last letter: what is typed while an answer is on its way stays.
let letters = 0;
const touch = form => form.setAttribute("data-typed", ++letters);

// Where to go on after a change (data-then) may be in a panel that is still being worked on: then when it comes, unless somebody
// has gone elsewhere meanwhile.
let wish = null;
const granted = () => {
  const there = wish && document.getElementById(wish);
  if (document.activeElement !== document.body) wish = null;
  else if (there) { wish = null; there.focus(); }
};
const goOn = id => {
  const there = document.getElementById(id);
  if (there) there.focus();
  else wish = id;
};

const known = form => { form.removeAttribute("data-typed"); return form; };

const send = async (path, values, sent, typed) => {
  document.body.classList.add("sending");
  try {
    const answer = await fetch(path, { method: "POST", body: new URLSearchParams(values) });
    const said = await answer.json().catch(() => ({}));
    const form = present(sent);
    if (answer.ok && said.version !== undefined) document.documentElement.dataset.version = said.version;
    if (said.problems && form) return mistaken(form, said.problems);
    if (form) mended(form);
    if (answer.ok && form?.dataset.typed === typed) form?.removeAttribute("data-typed");  // what was refused stays as it was typed
    if (answer.ok && form?.hasAttribute("data-closes")) form.closest("details").open = false;
    await page();
    if (answer.ok && form?.dataset.then) goOn(form.dataset.then);
    if (said.notice) document.getElementById(`notice-${said.notice}`)?.focus();
    return answer.ok;
  } catch {
    document.body.classList.add("lost");
    return false;
  } finally {
    document.body.classList.remove("sending");
  }
};

// One change after the other: who clicks faster than the page answers is not taken for another window.
let turn = Promise.resolve();
const version = () => ["version", document.documentElement.dataset.version];
export const sendInTurn = (path, values) => { turn = turn.then(() => send(path, [...values, version()])); };

const submit = (form, button) => {
  const values = [...new FormData(form, button && button.name ? button : null)].filter(([, value]) => typeof value === "string");
  const typed = form.dataset.typed;
  turn = turn.then(() => submitted(form, values, typed));
};

const submitted = async (form, values, typed) => {
  values.push(version());
  const done = await send(address(form), values, form, typed);
  if (done && form.dataset.asks) await send(`/ask/${form.dataset.asks}`, []);  // a change that is made to ask with it
};

const ours = form => form instanceof HTMLFormElement && (form.dataset.edit || form.dataset.ask || form.dataset.do);

export const forms = () => {
  document.addEventListener("swapped", granted);
  document.addEventListener("submit", event => {
    if (!ours(event.target)) return;
    event.preventDefault();
    if (!event.target.hasAttribute("data-instantly")) touch(event.target);  // also what was typed before this ran
    submit(event.target, event.submitter);
  });
  document.addEventListener("change", event => {
    const form = event.target.form;
    if (!(form && ours(form) && form.hasAttribute("data-instantly") && form.reportValidity())) return;
    if (settled(event.target, () => submit(known(present(form)), null))) touch(form);  // it outlives a refresh
  });
  document.addEventListener("input", event => {
    const form = event.target.form;
    if (form && ours(form) && !form.hasAttribute("data-instantly")) touch(form);
  });
};
