// A file that somebody chooses. While it is looked for the page may be made anew: what is chosen comes to the field that was clicked.
export const chosen = (id, take) => document.addEventListener("click", ({ target }) => {
  if (target.id === id) target.onchange = () => { if (target.files.length) take(target.files[0]); };
});
