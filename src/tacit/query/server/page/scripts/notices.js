// Messages stay until the reader puts them away.

import { by, made } from "./made.js";

/** A refusal as a box: sentence, hint, code. */
export function refusalBox({ code, sentence, hint }, { title = "Not answered" } = {}) {
  return made("div", { class: "box refusal" },
    made("p", { class: "box-title" }, title, " ", made("code", { class: "code" }, code)),
    made("p", { class: "sentence" }, started(sentence)),
    hint ? made("p", { class: "hint" }, made("strong", {}, "What helps: "), hint) : null);
}

const started = text => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");

/** Show a problem at the top of the page until it is dismissed. */
export function notice(problem, title) {
  const box = problem.sentence === undefined
    ? refusalBox({ code: "page", sentence: "this page made a mistake", hint: "reload it; if it comes again, tell the owner" }, { title })
    : refusalBox(problem, { title });
  const close = made("button", { type: "button", class: "quiet close", "aria-label": "Dismiss this message", onclick: () => box.remove() }, "✕");
  box.classList.add("notice");
  box.setAttribute("role", "alert");
  box.append(close);
  by("notices").prepend(box);
  while (by("notices").childElementCount > 3) by("notices").lastElementChild.remove();
}

export const clearNotices = () => by("notices").replaceChildren();
