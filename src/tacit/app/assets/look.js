// A form that only says what the page should show (data-look): its values go into the address, and the page is made anew.
import { page } from "./swap.js";

const looked = form => {
  const query = new URLSearchParams(location.search);
  const values = [...new FormData(form)].filter(([, value]) => typeof value === "string");
  for (const one of form.elements) if (one.name) query.delete(one.name);
  for (const [name, value] of values) if (value) query.append(name, value);
  history.replaceState(null, "", `${location.pathname}?${query}${location.hash}`);
  page();
};

// A link to what is folded, or to a field in it, unfolds it; a field can be typed into at once.
const unfolded = () => {
  const one = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let folded = one?.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
  if (one?.matches("input, select, textarea")) one.focus();
};

// A link to a form leads to its first field; a browser that has gone to the place takes the focus away, so it comes after that.
const focused = () => {
  const form = document.activeElement === document.body && location.hash === "#add" && document.querySelector("form.adding");
  if (form) form.querySelector("input:not([type=hidden]), select")?.focus({ preventScroll: true });
};

export const looks = () => {
  unfolded();
  addEventListener("hashchange", unfolded);
  if (document.readyState === "complete") focused(); else addEventListener("load", () => setTimeout(focused));
  for (const kind of ["change", "submit"]) document.addEventListener(kind, event => {
    const form = kind === "submit" ? event.target : event.target.form;
    if (!form?.hasAttribute?.("data-look")) return;
    if (kind === "submit") event.preventDefault();
    looked(form);
  });
};
