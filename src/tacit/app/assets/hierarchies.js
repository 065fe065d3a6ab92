// Groups by hand: chips are dragged into groups. Every drop only ticks chips and presses a button that is there for the
// keyboard as well, so that both ways do the same.
import { chosen } from "./chosen.js";

const form = () => document.getElementById("by-hand");
const shown = chip => !chip.hidden;
const chips = root => [...root.querySelectorAll(".chip")];
const target = event => event.target.closest?.("[data-group], [data-new]");
let dragged = null;  // the values that are being dragged: the page may be made anew in the meantime

const count = () => {
  const said = document.querySelector("[data-chosen]");
  if (!said) return;
  const number = form().querySelectorAll("input[name=member]:checked").length;
  said.textContent = number ? `${number} ${said.dataset.some}` : said.dataset.none;
};

const filter = field => {
  const wanted = field.value.trim().toLowerCase();
  for (const chip of chips(field.closest("fieldset"))) chip.hidden = !chip.textContent.toLowerCase().includes(wanted);
};

const boxes = () => [...form().querySelectorAll("input[name=member]")];

// The dragged chip alone, or all that are ticked when it is one of them.
const taken = chip => {
  const box = chip.querySelector("input");
  return box.checked ? boxes().filter(one => one.checked).map(one => one.value) : [box.value];
};

const ticked = values => {
  for (const box of boxes()) box.checked = values.includes(box.value);
  form().setAttribute("data-typed", "");
  count();
};

const dropped = place => {
  const name = document.getElementById("group-name");
  if (place.matches("[data-new]")) {
    if (name.value.trim()) document.getElementById("put").click(); else name.focus();
  } else if (place.dataset.group) {
    name.value = place.dataset.group;
    document.getElementById("put").click();
  } else document.getElementById("take-out").click();
};

const named = () => {
  const chosen = document.getElementById("import-chosen");
  if (chosen) chosen.textContent = document.getElementById("import-name").value;
};

// A chosen file is read here and sent as a field of the form; the server keeps it in the project.
const read = async file => {
  document.getElementById("import-text").value = await file.text();
  document.getElementById("import-name").value = file.name;
  named();
  document.getElementById("import-form").setAttribute("data-typed", "");
};

const dragging = () => {
  document.addEventListener("dragstart", event => {
    const chip = event.target.closest?.(".chip");
    if (!chip) return;
    dragged = taken(chip);
    event.dataTransfer.setData("text/plain", "");
    event.dataTransfer.effectAllowed = "move";
  });
  document.addEventListener("dragover", event => {
    const place = dragged && target(event);
    if (!place) return;
    event.preventDefault();
    place.classList.add("over");
  });
  document.addEventListener("dragleave", event => target(event)?.classList.remove("over"));
  document.addEventListener("drop", event => {
    const files = event.dataTransfer?.files, place = target(event);
    if (files?.length && event.target.closest?.("[data-import]")) { event.preventDefault(); read(files[0]); return; }
    if (!dragged || !place) return;
    event.preventDefault();
    place.classList.remove("over");
    ticked(dragged);
    dragged = null;
    dropped(place);
  });
  document.addEventListener("dragend", () => { dragged = null; });
};

export const hierarchies = () => {
  dragging();
  document.addEventListener("swapped", () => {
    count();
    named();
    const field = document.querySelector("[data-filter]");
    if (field) filter(field);
  });
  document.addEventListener("keydown", event => {
    if (event.key === "Enter" && event.target.matches("[data-filter]")) event.preventDefault();
  });
  document.addEventListener("input", event => { if (event.target.matches("[data-filter]")) filter(event.target); });
  document.addEventListener("change", event => {
    if (event.target.name === "member") count();
  });
  chosen("import-file", read);
  document.addEventListener("click", event => {
    if (!event.target.matches("[data-all]")) return;
    for (const chip of chips(event.target.closest("fieldset")).filter(shown)) chip.querySelector("input").checked = true;
    count();
  });
  count();
};
