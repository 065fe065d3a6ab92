// Light or dark: as the system has it, until somebody chooses.
export const themes = () => {
  const root = document.documentElement;
  const kept = localStorage.getItem("tacit-theme");
  if (kept) root.dataset.theme = kept;
  document.addEventListener("click", event => {
    if (event.target.id !== "theme") return;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("tacit-theme", root.dataset.theme);
  });
};
