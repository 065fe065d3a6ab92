"use strict";
(async () => {
  if (document.readyState === "loading") await new Promise(ready => document.addEventListener("DOMContentLoaded", ready));
  const NEAR = 16; // pixels between the pointer and the mark that it means
  const by = id => document.getElementById(id);
  const read = id => JSON.parse(by(id).textContent);
  const { points, risk, kinds, loss, command } = read("map-data");
  const [map, panel] = [by("map"), by("map-point")];
  const [place, ring, hint] = [".canvas", ".ring", ".hint"].map(name => map.querySelector(name));
  const numbered = new Map(points.map(point => [point.number, point]));
  const hidden = new Set();
  const axes = { risk: 0, loss: 0 };
  const specification = read("map-specification");
  specification.data.find(source => source.name === "points").values = points;
  // Errors only (1): a layer without marks, which is no fault, would be warned of.
  const { view } = await vegaEmbed(place, specification,
    { mode: "vega", renderer: "canvas", actions: false, tooltip: false, hover: false, defaultStyle: false, logLevel: 1 });
  let spots = [];
  let current = null;


  // Everything that is shown goes in as text: a name in a plan is never read as HTML.
  const made = (tag, text, parent) => {
    const node = document.createElement(tag);
    if (text !== null) node.textContent = tag === "dd" ? text.replace(/(\d) %/g, "$1\u00a0%") : text;
    if (parent) parent.append(node);
    return node;
  };
  const known = value => typeof value === "number";
  const share = value => !known(value) ? "–" : value <= 0 ? "0\u00a0%" : Number((100 * value).toPrecision(2)) + "\u00a0%";
  const title = point => `Point ${point.number}: ${point.strategy}`;

  const parts = (names, values, from, to) =>
    names.slice(from, to).map((name, i) => [name.replace(/^attack: /, ""), values[from + i]])
      .filter(([, value]) => known(value)).map(([name, value]) => `${name} ${share(value)}`).join(", ");

  const facts = point => {
    const least = point.state === "stopped" ? "at least " : "";
    const found = [["parameters", point.parameters || "none"]];
    if (point.state === "failed") return [...found, ["failed", point.why || "no reason is known"]];
    found.push(
      ["risk, estimated", least + share(point.risk[0])], ["by kind", kinds > 1 ? parts(risk, point.risk, 1, kinds + 1) : ""],
      ["by attack", parts(risk, point.risk, kinds + 1)],
      ["by all attacks", point.attacked.map(([name, value]) => `${name} ${share(value)}`).join(", ")],
      ["loss", least + share(point.loss[0])], ["by kind", loss.length > 2 ? parts(loss, point.loss, 1) : ""],
      point.state === "stopped" ? ["state", point.why || "stopped"]
        : point.missed.length ? ["misses", point.missed.join("; ")] : ["meets", "all that was asked"]);
    const place = [point.label, point.front ? "on the front" : null].filter(Boolean).join(", ");
    if (place) found.push(["place", place]);
    return found.filter(([, value]) => value);
  };

  const list = (pairs, parent) => {
    const box = made("dl", null, parent);
    box.className = "facts";
    for (const [word, value] of pairs) { made("dt", word, box); made("dd", value, box); }
  };

  // Where each mark lies, in pixels of the map; asked of the scales after every drawing.
  const locate = () => {
    const [across, up, origin, padding] = [view.scale("x"), view.scale("y"), view.origin(), view.padding()];
    const [left, top] = [origin[0] + padding.left, origin[1] + padding.top];
    spots = points
      .filter(point => known(point.risk[axes.risk]) && known(point.loss[axes.loss]) && !hidden.has(point.strategy))
      .map(point => ({ point, x: left + across(point.loss[axes.loss]), y: top + up(point.risk[axes.risk]) }))
      .sort((one, other) => one.x - other.x || other.y - one.y);
  };

  const nearest = (x, y) => {
    let [best, least] = [null, NEAR * NEAR];
    for (const spot of spots) {
      const apart = (spot.x - x) ** 2 + (spot.y - y) ** 2;
      const counts = spot.point.front || spot.point.label ? apart / 2 : apart; // the large marks lie on top
      if (counts < least) [best, least] = [spot, counts];
    }
    return best;
  };

  const hint_at = spot => {
    current = spot;
    ring.hidden = hint.hidden = !spot;
    map.style.cursor = spot ? "pointer" : "";
    if (!spot) return;
    ring.style.left = `${spot.x}px`;
    ring.style.top = `${spot.y}px`;
    hint.replaceChildren();
    made("strong", title(spot.point), hint);
    list(facts(spot.point), hint);
    const room = map.clientWidth - hint.offsetWidth - 4;
    const beside = spot.x + 18 <= room ? spot.x + 18 : spot.x - 18 - hint.offsetWidth;
    hint.style.left = `${Math.max(4, Math.min(room, beside))}px`;
    const below = beside < 4 ? spot.y + 20 : spot.y - hint.offsetHeight / 2;
    hint.style.top = `${Math.max(4, below)}px`;
  };

  const copier = (code, parent) => {
    const button = made("button", "Copy", parent);
    button.type = "button";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(code);
        button.textContent = "Selected: press Ctrl+C";
      }
    });
  };

  const open = (point, scrolls) => {
    panel.replaceChildren();
    panel.hidden = false;
    made("h3", title(point), panel);
    list(facts(point), panel);
    if (point.state !== "failed") {
      made("p", "Write it as a plan:", panel);
      const code = made("code", `${command} --point ${point.number} --write point-${point.number}.toml`, made("pre", null, panel));
      copier(code, panel);
      const written = by(`plan-${point.number}`);
      if (written) {
        const fold = made("details", null, panel);
        made("summary", "The plan", fold);
        copier(made("code", written.querySelector("code").textContent, made("pre", null, fold)), fold);
      }
    }
    if (scrolls) { panel.focus({ preventScroll: true }); panel.scrollIntoView({ block: "center" }); }
    hint_at(spots.find(spot => spot.point === point) || null);
    hint.hidden = true;
  };

  const drawn = async () => {
    const { color, backgroundColor } = getComputedStyle(map); // a canvas does not know the colours of the page
    view.signal("ink", color).signal("ground", backgroundColor);
    await view.runAsync();
    locate();
    hint_at(null);
  };

  const at = event => { const box = place.getBoundingClientRect(); return nearest(event.clientX - box.left, event.clientY - box.top); };
  map.addEventListener("pointermove", event => { const spot = at(event); if (spot !== current || (spot && hint.hidden)) hint_at(spot); });
  map.addEventListener("pointerleave", () => hint_at(null));
  map.addEventListener("click", event => { const spot = at(event); if (spot) open(spot.point, false); });
  map.addEventListener("blur", () => hint_at(null));
  map.addEventListener("keydown", event => {
    const way = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (way) {
      const along = event.key === "ArrowUp" || event.key === "ArrowDown" ? spots.filter(spot => spot.point.front) : spots;
      const from = current ? along.findIndex(spot => spot === current) : -1;
      const to = from >= 0 ? from + way : current ? along.findIndex(spot => spot.x >= current.x) : 0;
      if (along.length) hint_at(along[Math.max(0, Math.min(along.length - 1, to))]);
    } else if (event.key === "Enter" && current) open(current.point, true);
    else if (event.key === "Escape") hint_at(null);
    else return;
    event.preventDefault();
  });

  for (const [name, signal] of [["risk", "y_shown"], ["loss", "x_shown"]])
    by(`map-${name}`).addEventListener("change", event => {
      axes[name] = Number(event.target.value);
      view.signal(signal, axes[name]);
      drawn();
    });
  for (const button of document.querySelectorAll(".legend button"))
    button.addEventListener("click", () => {
      const name = button.dataset.strategy;
      if (!hidden.delete(name)) hidden.add(name);
      button.setAttribute("aria-pressed", String(!hidden.has(name)));
      view.signal("hidden", [...hidden]);
      drawn();
    });
  for (const head of document.querySelectorAll("[aria-labelledby=front] tbody th, [aria-labelledby=candidates] tbody th")) {
    const point = numbered.get(Number(head.textContent.replaceAll(",", "")));
    const button = made("button", head.textContent, null);
    button.type = "button";
    button.className = "opens";
    button.setAttribute("aria-label", `Open point ${point.number}`);
    button.addEventListener("click", () => open(point, true));
    head.replaceChildren(button);
  }
  for (const fold of document.querySelectorAll("details[id^=plan-]")) copier(fold.querySelector("code"), fold);

  new ResizeObserver(() => { view.resize(); drawn(); }).observe(place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawn);
  await drawn();
  map.dataset.drawn = "yes";
})();
