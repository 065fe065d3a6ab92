// Nothing is made anew under the hand: while a button is pressed or something is dragged, fresh parts of the page wait.
let pressed = null, free = () => {}, dragged = false;

const hold = () => { pressed ??= new Promise(done => { free = done; }); };
// A click comes after the release that makes it, and is for what was pressed.
const release = () => setTimeout(() => { free(); pressed = null; });

document.addEventListener("pointerdown", hold, true);
document.addEventListener("dragstart", () => { dragged = true; hold(); }, true);
for (const kind of ["pointerup", "pointercancel"]) document.addEventListener(kind, () => { if (!dragged) release(); }, true);
document.addEventListener("dragend", () => { dragged = false; release(); }, true);

export const freed = () => pressed;
