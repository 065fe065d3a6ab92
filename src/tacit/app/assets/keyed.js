// Keys that go through the choices of a list change it at every step: it is sent when one is settled on, which is on Enter,
// when the list is left, before a shortcut, or after a pause. A choice by the mouse is sent at once.
const PAUSE = 800;
let keyed = null, last = "", waiting = null;

const settle = () => {
  const send = waiting?.send;
  clearTimeout(waiting?.timer);
  waiting = null;
  send?.();
};

const wait = send => {
  clearTimeout(waiting?.timer);
  waiting = { send, timer: setTimeout(settle, PAUSE) };
};

// Send now, or when it is settled, by what the list was changed with; whether it waits.
export const settled = (list, send) => {
  if (list.id && list.id === keyed && last !== "Enter") { wait(send); return true; }
  settle();
  send();
  return false;
};

export const listKeys = () => {
  document.addEventListener("pointerdown", () => { keyed = null; }, true);
  document.addEventListener("keydown", event => {
    keyed = event.target.matches?.("select") ? event.target.id : null;
    last = event.key;
    if (!waiting) return;
    if (event.key === "Enter") event.preventDefault();
    if (event.key === "Enter" || event.ctrlKey || event.metaKey) settle();
    else wait(waiting.send);
  }, true);
  // A list that is made anew is left and entered again at once, which is no leaving.
  document.addEventListener("focusout", ({ target }) => setTimeout(() => {
    if (target.id && document.activeElement?.id === target.id) return;
    if (keyed === target.id) keyed = null;
    settle();
  }));
};
