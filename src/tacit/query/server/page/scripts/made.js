// Everything on the page is made here, and every text goes in as text: a name is never read as HTML.

/** An element: properties (class, data-…, aria-… as attributes; on… as listeners), then children or texts. */
export function made(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return node;
}

export const by = id => document.getElementById(id);

/** Put new content in the place of the old. */
export function filled(node, ...children) {
  node.replaceChildren(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return node;
}

/** Tell people who listen, without moving the focus. */
export function said(text) {
  by("said").textContent = text;
}

/** A button that is busy while its work is done; a second press meanwhile does nothing. */
export function busyButton(properties, label, work) {
  const text = made("span", {}, label);
  const button = made("button", { type: "button", ...properties, onclick: () => run() }, text);
  async function run() {
    if (button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    try {
      await work();
    } finally {
      button.removeAttribute("aria-busy");
    }
  }
  button.say = words => { text.textContent = words; };
  button.run = run;
  return button;
}

/** A label above its field. */
export function field(label, input, about = null) {
  return made("div", { class: "field" }, made("label", { for: input.id }, label), input, about);
}

/** A choice among [value, text] pairs. */
export function choice(id, pairs, chosen, onchange) {
  const options = pairs.map(([value, text]) => made("option", { value, selected: value === chosen }, text));
  return made("select", { id, onchange: event => onchange(event.target.value) }, options);
}

/** A table in a box of its own that scrolls when the window is narrow. */
export function scrolled(caption, table) {
  return made("div", { class: "scroll", role: "group", "aria-label": caption, tabindex: "0" }, table);
}
