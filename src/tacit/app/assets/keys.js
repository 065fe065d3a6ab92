// Undo and redo by the usual keys, except where somebody types.
import { sendInTurn } from "./forms.js";

export const keys = () => document.addEventListener("keydown", event => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
  if (event.target.closest("input:not([type=checkbox], [type=radio], [type=range]), textarea")) return;
  event.preventDefault();
  sendInTurn(event.shiftKey ? "/do/redo" : "/do/undo", []);
});
