// What the server tells: a panel is done, how far one is, the project was changed in another window.
import { page, panel } from "./swap.js";

const panels = key => [...document.querySelectorAll(`[data-panel][data-key="${CSS.escape(key)}"]`)];

// In a part of the page that is laid out from several panels (data-fresh) the whole of it is made anew.
const fresh = one => one.closest("[data-fresh]") ? page() : panel(one);

// A panel may be done while a page that shows it as being worked on is still on its way, and more than one may be: what was
// told is kept with its number, and a panel that was laid out before that, or before we listened, is asked for once more.
const done = new Map();
let begun = 0;
const caught = () => document.querySelectorAll("[data-panel].working")
  .forEach(one => { if ((done.get(one.dataset.key) ?? begun) > Number(one.dataset.told)) fresh(one); });

const heard = told => {
  if (told.event === "welcome") { begun = told.number; done.clear(); caught(); }
  if (told.event === "panel") { done.set(told.key, told.number); panels(told.key).forEach(fresh); }
  if (told.event === "progress") for (const one of panels(told.key)) {
    const bar = one.querySelector("progress"), step = one.querySelector("[data-step]");
    if (bar) bar.value = told.share;
    if (step) step.textContent = told.step;
  }
  if (told.event === "notice" || (told.event === "changed" && String(told.version) !== document.documentElement.dataset.version)) page();
};

const opened = stale => {
  const stream = new EventSource("/events");
  stream.onmessage = event => heard(JSON.parse(event.data));
  stream.onerror = () => { stale = true; document.body.classList.add("lost"); };
  stream.onopen = () => {
    document.body.classList.remove("lost");
    if (stale) page();
    stale = false;
  };
  return stream;
};

// A browser has few connections to one server: a window that nobody sees gives its own back, and catches up when it is seen.
export const listen = () => {
  let stream = opened(false);
  document.addEventListener("swapped", caught);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) stream.close();
    else if (stream.readyState === EventSource.CLOSED) stream = opened(true);
  });
};
