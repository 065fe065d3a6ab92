// A long table is searched while one types: rows whose heading does not hold the text are hidden, also when the page is laid anew.
const typed = {};

const apply = box => {
  const rows = [...document.querySelectorAll(`#${box.dataset.filters} tbody tr`)];
  const wanted = box.value.trim().toLowerCase();
  for (const row of rows) row.hidden = !row.querySelector("th").textContent.toLowerCase().includes(wanted);
  const shown = rows.filter(row => !row.hidden).length;
  document.getElementById(`${box.id}-shown`).textContent = wanted ? `${shown} / ${rows.length}` : "";
};

export const filters = () => {
  document.addEventListener("input", event => {
    if (!event.target.dataset.filters) return;
    typed[event.target.id] = [event.target.value, event.target.selectionEnd];
    apply(event.target);
  });
  document.addEventListener("swapped", () => document.querySelectorAll("[data-filters]").forEach(box => {
    const [text, caret] = typed[box.id] ?? [];
    if (text === undefined) return;
    if (box.value !== text) {
      box.value = text;
      if (box === document.activeElement) box.setSelectionRange(caret, caret);
    }
    apply(box);
  }));
};
