// The list of what was done shows the present state, also when it is longer than its box; who scrolls it is left alone.
let place = "", top = 0;

const placed = () => {
  const list = document.querySelector(".history"), now = list?.querySelector("[aria-current]");
  if (!now) return;
  list.scrollTop = top;
  if (now.value !== place) {
    const hidden = now.getBoundingClientRect(), box = list.getBoundingClientRect();
    list.scrollTop += Math.max(0, hidden.bottom - box.bottom) + Math.min(0, hidden.top - box.top);
  }
  [place, top] = [now.value, list.scrollTop];
  list.onscroll = () => { top = list.scrollTop; };
};

export const history = () => { document.addEventListener("swapped", placed); placed(); };
