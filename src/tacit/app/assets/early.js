// What is clicked before the page's own script is there: kept, and done by it when it comes. Loaded first, on purpose.
window.early = [];
for (const kind of ["submit", "change"]) document.addEventListener(kind, event => {
  if (!window.early) return;
  if (kind === "submit" && event.target.matches("[data-edit], [data-ask], [data-do], [data-look]")) event.preventDefault();
  window.early.push(event);
});
