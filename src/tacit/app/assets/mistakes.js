// What is wrong with a form stands beside its fields, through all refreshes, until the form is accepted.
const kept = new Map();

const fieldOf = (form, name) => name && (form.querySelector(`[data-field="${CSS.escape(name)}"]`)
  ?? [...form.elements].find(one => one.name === name || one.name?.startsWith(`${name}:`))?.parentElement) || null;

const wiped = form => {
  form.querySelectorAll(".field-error").forEach(one => one.remove());
  form.querySelectorAll("[aria-invalid]").forEach(one => one.removeAttribute("aria-invalid"));
};

const told = (form, name, text) => {
  const field = fieldOf(form, name);
  const control = (field ?? form).querySelector("fieldset, input:not([type=hidden]), select, textarea");
  const said = Object.assign(document.createElement("p"), { className: "field-error", textContent: text });
  said.id = `${form.id || form.dataset.edit}-${name || "whole"}-error`;
  if (!field) { said.setAttribute("role", "alert"); form.prepend(said); return said; }
  const others = (control?.getAttribute("aria-describedby") ?? "").split(" ").filter(id => id && id !== said.id);
  control?.setAttribute("aria-describedby", [said.id, ...others].join(" "));
  for (const one of field.querySelectorAll("input:not([type=hidden]), select, textarea")) one.setAttribute("aria-invalid", "true");
  const legend = control?.matches("fieldset") ? control.querySelector("legend") : null;
  if (legend) legend.after(said); else field.append(said);
  field.closest("details")?.setAttribute("open", "");
  return (control?.matches("fieldset") ? control.querySelector("input") : control) ?? said;
};

const placed = (form, problems) => {
  wiped(form);
  return Object.entries(problems).map(([name, text]) => told(form, name, text));
};

export const mistaken = (form, problems) => {
  if (form.id) kept.set(form.id, problems);
  form.toggleAttribute("data-typed", true);
  const [first] = placed(form, problems);
  if (first) { if (first.matches("p")) first.tabIndex = -1; first.focus(); }
  return false;
};

export const mended = form => { kept.delete(form.id); wiped(form); };

export const mistakes = () => document.addEventListener("swapped", () => {
  for (const [id, problems] of kept) {
    const form = document.getElementById(id);
    if (!form) kept.delete(id);
    else if (!form.querySelector(".field-error")) placed(form, problems);
  }
});
