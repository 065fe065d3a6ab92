// The text field of the question, with examples above it.

import { examples } from "./examples.js";
import { filled, made } from "./made.js";

/** A box for SQL; `changed` is called after every change, `chosen` after an example was taken, `ask` on Ctrl+Enter. */
export function editor({ changed, chosen, ask }) {
  const area = made("textarea", {
    id: "sql", rows: "7", spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-describedby": "sql-about",
    placeholder: "SELECT … FROM … WHERE … GROUP BY …", oninput: changed, onkeydown: pressed,
  });
  const chips = made("div", { class: "row chips", role: "group", "aria-label": "Examples" });
  let offered = null;

  function pressed(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      ask();
    }
  }

  function put(text) {
    area.value = text;
    area.rows = Math.min(14, Math.max(7, text.split("\n").length + 1));
  }

  return {
    node: made("div", { class: "editor" },
      made("div", { class: "editor-head" }, made("label", { for: "sql", class: "small-title" }, "Your question"),
        made("span", { id: "sql-about", class: "soft small" }, "one SELECT of aggregates · Ctrl + Enter asks")),
      area, chips),
    text: () => area.value,
    put,
    focus: () => area.focus(),
    insert(text) {
      const before = area.value.slice(0, area.selectionStart);
      const space = before && !/[\s(,]$/.test(before) ? " " : "";
      area.setRangeText(space + text, area.selectionStart, area.selectionEnd, "end");
      area.focus();
      changed();
    },
    examples(dataset) {
      if (dataset === offered) return;
      offered = dataset;
      const found = dataset ? examples(dataset) : [];
      filled(chips, made("span", { class: "soft small" }, "Examples"),
        found.map(([title, sql]) => made("button", { type: "button", class: "chip", onclick: () => { put(sql); chosen(); area.focus(); } }, title)));
    },
  };
}
