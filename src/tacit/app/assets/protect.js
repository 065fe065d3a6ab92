// The list of methods can be narrowed by a word, and steps can be dragged; the buttons do the same by keyboard.
import { sendInTurn } from "./forms.js";

let wanted = "";

const narrowed = () => {
  const box = document.getElementById("method-filter"), list = document.getElementById("method");
  if (!box || !list) return;
  box.value = wanted;
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const one of list.options) {
    const fits = words.every(word => one.dataset.words.toLowerCase().includes(word));
    one.hidden = one.disabled = !fits;
    found += fits;
  }
  for (const group of list.querySelectorAll("optgroup")) group.hidden = [...group.children].every(one => one.hidden);
  document.getElementById("none-found").hidden = found > 0;
};

const drags = () => {
  let dragged = null;
  const step = event => event.target.closest?.(".step[data-place]");
  const unmarked = () => document.querySelectorAll(".step.target").forEach(one => one.classList.remove("target"));
  document.addEventListener("pointerdown", event => {
    const one = step(event);
    if (one) one.draggable = !event.target.closest("input, select, textarea, button, summary, details, table, a");
  });
  document.addEventListener("dragstart", event => {
    dragged = step(event) ?? null;
    if (dragged) { dragged.classList.add("drag"); event.dataTransfer.effectAllowed = "move"; }
  });
  document.addEventListener("dragover", event => {
    if (!dragged || !step(event)) return;
    event.preventDefault();
    unmarked();
    step(event).classList.add("target");
  });
  document.addEventListener("drop", event => {
    const to = step(event);
    if (!dragged || !to || to === dragged) return;
    event.preventDefault();
    sendInTurn("/edit/step_move", [["place", dragged.dataset.place], ["to", to.dataset.place]]);
  });
  document.addEventListener("dragend", () => { dragged?.classList.remove("drag"); dragged = null; unmarked(); });
};

export const steps = () => {
  document.addEventListener("input", event => {
    if (event.target.id !== "method-filter") return;
    wanted = event.target.value;
    narrowed();
  });
  document.addEventListener("keydown", event => {
    if (event.target.id === "method-filter" && event.key === "ArrowDown") { event.preventDefault(); document.getElementById("method").focus(); }
    if (event.target.id === "method-filter" && event.key === "Enter") event.preventDefault();
  });
  document.addEventListener("swapped", narrowed);
  drags();
};
