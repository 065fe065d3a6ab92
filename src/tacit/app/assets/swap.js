// Fresh parts of the page, without losing the place: what is open, focused, typed, marked and scrolled stays.
import { freed } from "./hand.js";

const parsed = text => new DOMParser().parseFromString(text, "text/html");

const ticks = one => one.type === "checkbox" || one.type === "radio";

const placed = root => {
  const active = root.contains(document.activeElement) ? document.activeElement : null;
  const marked = active && [active.selectionStart, active.selectionEnd, active.selectionDirection];  // null but in texts
  const open = [...root.querySelectorAll("details[id]")].map(one => [one.id, one.open]);
  const scrolled = [...root.querySelectorAll(".scroll")].map(one => [one.scrollLeft, one.scrollTop]);
  const typed = [...root.querySelectorAll("form[data-typed]")].flatMap(form => [...form.elements]
    .filter(one => one.id && "value" in one)
    .map(one => [one.id, ticks(one) ? one.checked : one.value, ticks(one), form.dataset.typed]));
  return () => {
    for (const [id, was] of open) { const now = document.getElementById(id); if (now) now.open = was; }
    [...root.querySelectorAll(".scroll")].forEach((one, i) => { if (scrolled[i]) [one.scrollLeft, one.scrollTop] = scrolled[i]; });
    for (const [id, value, ticked, letter] of typed) {
      const now = document.getElementById(id);
      if (!now) continue;
      if (ticked) now.checked = value; else now.value = value;
      now.form?.setAttribute("data-typed", letter);
    }
    const now = active?.id ? document.getElementById(active.id) : null;
    now?.focus({ preventScroll: true });
    if (now && Number.isInteger(marked[0])) now.setSelectionRange(...marked);
  };
};

// A panel that is worked on anew keeps its height, so that nothing jumps under the hand of whoever goes on.
const heights = new Map();
const measured = root => root.querySelectorAll("[data-panel].ready").forEach(one => heights.set(one.dataset.address, one.offsetHeight));
const steady = root => root.querySelectorAll("[data-panel].working").forEach(one => {
  const height = heights.get(one.dataset.address);
  if (height) one.style.minHeight = `${height}px`;
});

const replace = (old, fresh) => {
  const back = placed(old);
  measured(old);
  old.replaceChildren(...fresh.childNodes);
  steady(old);
  back();
};

let asked = 0, latest = null;
const laid = async mine => {
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  const fresh = answer.ok && parsed(await answer.text());
  await freed();
  if (mine !== asked) return latest;  // a later one is on its way, and who waits for this one waits for that
  if (!fresh) return;
  for (const part of ["#notices", "#main", "aside", "header.top"])
    replace(document.querySelector(part), fresh.querySelector(part));
  document.documentElement.dataset.version = fresh.documentElement.dataset.version;
  document.dispatchEvent(new CustomEvent("swapped"));
};

export const page = () => latest = laid(++asked);

export const panel = async old => {
  const answer = await fetch(old.dataset.address);
  const fresh = answer.ok && parsed(await answer.text()).querySelector("[data-panel]");
  await freed();
  if (!fresh || !old.isConnected) return;  // the page has gone on meanwhile
  const back = placed(old.parentElement);
  old.replaceWith(fresh);
  back();
  document.dispatchEvent(new CustomEvent("swapped"));
};
