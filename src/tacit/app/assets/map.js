// Pictures whose marks are links: one is picked without leaving the page, and arrow keys go from mark to mark.
import { page } from "./swap.js";

const marks = picture => [...picture.querySelectorAll("a")];

// One mark of a picture is in the order of the Tab key, as in any list in which arrows move.
const roving = () => document.querySelectorAll(".picture").forEach(picture => {
  const all = marks(picture), first = all.find(one => one.hasAttribute("aria-current")) ?? all[0];
  all.forEach(one => one.setAttribute("tabindex", one === first ? "0" : "-1"));
});

const pick = async link => {
  const address = new URL(location.href), inside = link.closest(".picture");
  for (const [name, value] of new URLSearchParams(link.getAttribute("href"))) address.searchParams.set(name, value);
  history.pushState(null, "", address);
  const place = link.getAttribute("href"), within = inside?.dataset.picture, id = link.id;
  await page();
  const again = within ? document.querySelector(`.picture[data-picture="${within}"] a[href="${place}"]`) : document.getElementById(id);
  again?.focus({ preventScroll: true });
};

const WAY = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// The mark that lies nearest in the direction of an arrow; to go astray counts double.
const next = (link, [right, down]) => {
  const middle = one => { const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
  const [x, y] = middle(link);
  const far = one => {
    const [u, v] = middle(one), along = (u - x) * right + (v - y) * down, astray = Math.abs((u - x) * down) + Math.abs((v - y) * right);
    return along < 1 ? Infinity : along + 2 * astray;
  };
  const [nearest] = marks(link.closest(".picture")).filter(one => one !== link).sort((one, other) => far(one) - far(other));
  return nearest && far(nearest) < Infinity ? nearest : null;
};

export const pictures = () => {
  document.addEventListener("click", event => {
    const link = event.target.closest(".picture a, a[data-pick]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    pick(link);
  });
  document.addEventListener("keydown", event => {
    const link = event.target.closest?.(".picture a");
    if (!link || !WAY[event.key]) return;
    event.preventDefault();
    const other = next(link, WAY[event.key]);
    if (!other) return;
    link.setAttribute("tabindex", "-1");
    other.setAttribute("tabindex", "0");
    other.focus();
  });
  addEventListener("popstate", () => { if (document.querySelector(".picture")) page(); });
  document.addEventListener("swapped", roving);
  roving();
};
