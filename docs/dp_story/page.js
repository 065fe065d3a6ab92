"use strict";
const SVG = document.createElementNS.bind(document, document.querySelector("svg").namespaceURI);
const $ = name => document.getElementById(name);
const value = name => Number($(name).value);
const percent = share => (100 * share).toFixed(share > 0 && share < 0.001 ? 3 : share < 0.1 && share > 0 ? 1 : 0).replace(/\.0$/, "") + " %";
const power = name => Number((10 ** value(name)).toPrecision(2));
const short = number => Number(number.toPrecision(3)).toString();

function draw(chart, parts, label) {
  const made = parts.map(([tag, attributes, text]) => {
    const node = SVG(tag);
    for (const [name, said] of Object.entries(attributes)) node.setAttribute(name, said);
    if (text !== undefined) node.textContent = text;
    return node;
  });
  $(chart).replaceChildren(...made);
  $(chart).setAttribute("aria-label", label);
}

function twoBars(chart, a, b) {
  const wide = share => Math.max(share * 400, share > 0 ? 2 : 0);
  const sure = a + b > 0 ? Math.max(a, b) / (a + b) : 0.5;
  const row = (y, name, share, kind) => [
    ["text", {x: 0, y: y + 20}, name],
    ["rect", {x: 110, y, width: 400, height: 28, rx: 3, class: "track"}],
    ["rect", {x: 110, y, width: wide(share), height: 28, rx: 3, class: kind}],
    ["text", {x: 524, y: y + 20, class: "bold"}, percent(share)],
  ];
  draw(chart, [...row(4, "with D", a, "of-d"), ...row(44, "with D′", b, "of-e"),
    ["line", {x1: 0, y1: 92, x2: 640, y2: 92, class: "axis"}],
    ...row(108, "certainty", sure, sure > 0.95 ? "sure" : "fine")],
    `chance of the answer ${percent(a)} with D and ${percent(b)} with D′; certainty after it ${percent(sure)}`);
  return sure;
}

function add() {
  const p = value("add-p"), a = value("add-a"), b = Math.min(1, a + p);
  $("add-p-out").value = "± " + p.toFixed(2);
  $("add-a-out").value = a.toFixed(2);
  const sure = twoBars("add-chart", a, b);
  $("add-said").textContent = a === 0
    ? `The answer appears with D′ only. One sight of it and the adversary is 100 % certain, although the chances differ by ${percent(p)} only.`
    : `Whoever sees the answer, and held both equally likely before, is now ${percent(sure)} certain that it came from D′.`;
}

function times() {
  const f = value("times-f"), a = value("times-a"), b = Math.min(1, a * f, 1 - (1 - a) / f);
  $("times-f-out").value = "× " + f.toFixed(1);
  $("times-a-out").value = a.toFixed(2);
  const sure = twoBars("times-chart", a, Math.max(a, b));
  $("times-said").textContent = a === 0
    ? "The answer is impossible with both: nobody can see it, and nothing is learnt."
    : `Certain to ${percent(sure)}, and never above ${percent(f / (1 + f))} = f/(1 + f), however rare the answer.`;
}

const wrong = loss => 1 / (Math.exp(loss) + 1);

function log() {
  const e = power("log-e"), k = value("log-k");
  $("log-e-out").value = short(e);
  $("log-k-out").value = k;
  const bars = [];
  for (let one = 1; one <= 20; one++) {
    const high = 300 * wrong(one * e);
    bars.push(["rect", {x: 72 + 28 * (one - 1), y: 168 - high, width: 22, height: Math.max(high, 1), rx: 2, class: one === k ? "bar now" : "bar"}]);
  }
  const ticks = [0, 0.25, 0.5].flatMap(share => [
    ["line", {x1: 66, x2: 632, y1: 168 - 300 * share, y2: 168 - 300 * share, class: "axis"}],
    ["text", {x: 58, y: 173 - 300 * share, "text-anchor": "end", class: "soft"}, percent(share)]]);
  const across = [1, 5, 10, 15, 20].map(one => ["text", {x: 83 + 28 * (one - 1), y: 190, "text-anchor": "middle", class: one === k ? "bold" : "soft"}, one]);
  draw("log-chart", [...ticks, ...bars, ...across, ["text", {x: 349, y: 212, "text-anchor": "middle", class: "soft"}, "answers"]],
    `the adversary is wrong at least ${percent(wrong(k * e))} of the time after ${k} answers`);
  $("log-said").textContent = `Each answer: ε = ${short(e)}, a factor of ${short(Math.exp(e))}. ${k} of them: ε = ${short(k * e)}, a factor of ${short(Math.exp(k * e))}; the best adversary is wrong at least ${percent(wrong(k * e))} of the time.`;
}

const below = (x, centre, b) => x < centre ? Math.exp((x - centre) / b) / 2 : 1 - Math.exp((centre - x) / b) / 2;

function sets() {
  const e = value("sets-e"), left = value("sets-l"), right = left + value("sets-w"), b = 1 / e;
  $("sets-e-out").value = e.toFixed(1);
  $("sets-l-out").value = left.toFixed(2);
  $("sets-w-out").value = (right - left).toFixed(2);
  const at = x => 10 + 620 * (x + 1) / 14, up = y => 205 - 175 * y / (e / 2) * (0.6 + 0.4 * e / 3);
  const density = (x, centre) => Math.exp(-Math.abs(x - centre) / b) / (2 * b);
  const path = (from, to, centre) => {
    const places = [from, to, centre].filter(x => x >= from && x <= to);
    for (let step = 0; step <= 140; step++) places.push(from + (to - from) * step / 140);
    return places.sort((one, other) => one - other).map(x => `${at(x).toFixed(1)},${up(density(x, centre)).toFixed(1)}`).join(" ");
  };
  const area = centre => `${at(left)},205 ${path(left, Math.min(right, 13), centre)} ${at(Math.min(right, 13))},205`;
  const inD = below(right, 5, b) - below(left, 5, b), inE = below(right, 6, b) - below(left, 6, b);
  const parts = [["line", {x1: 10, x2: 630, y1: 205, y2: 205, class: "axis"}]];
  for (let x = -1; x <= 13; x += 2) parts.push(["text", {x: at(x), y: 226, "text-anchor": x < 0 ? "start" : x > 12 ? "end" : "middle", class: "soft"}, x < 0 ? "−" + -x : x]);
  parts.push(["polygon", {points: area(5), class: "of-d veil"}], ["polygon", {points: area(6), class: "of-e veil"}],
    ["polyline", {points: path(-1, 13, 5), class: "curve line-d"}], ["polyline", {points: path(-1, 13, 6), class: "curve line-e"}],
    ["line", {x1: at(5), x2: at(5), y1: 205, y2: up(density(5, 5)), class: "line-d dash"}],
    ["line", {x1: at(6), x2: at(6), y1: 205, y2: up(density(6, 6)), class: "line-e dash"}],
    ["rect", {x: at(left), y: 236, width: Math.max(2, at(Math.min(right, 13)) - at(left)), height: 5, rx: 2, class: "pin"}],
    ["text", {x: (at(left) + at(Math.min(right, 13))) / 2, y: 262, "text-anchor": "middle", class: "bold"}, "S"],
    ["text", {x: at(5) - 8, y: up(e / 2) + 4, "text-anchor": "end", class: "bold"}, "from D"],
    ["text", {x: at(6) + 8, y: up(e / 2) + 4, class: "bold"}, "from D′"]);
  const ratio = Math.max(inD, inE) / Math.min(inD, inE);
  draw("sets-chart", parts, `two Laplace distributions around 5 and 6; S from ${left} to ${right} has ${percent(inD)} of D and ${percent(inE)} of D′`);
  $("sets-said").textContent = right === left
    ? "A single point: both chances are 0, and their ratio says nothing."
    : `From D ${percent(inD)} of the answers fall into S, from D′ ${percent(inE)}: a factor of ${ratio.toFixed(3)}, and no set has more than exp(ε) = ${Math.exp(e).toFixed(3)}.`;
}

const ZONES = [[0.1, "high"], [1, "good"], [5, "weak"], [20, "too big"]];

function guide() {
  const e = power("guide-e"), place = Math.log10(e), at = exponent => 10 + 620 * (exponent + 2) / (Math.log10(20) + 2);
  const word = e < 0.1 ? "high" : e <= 1 ? "good" : e <= 5 ? "weak" : "too big";
  $("guide-e-out").value = short(e);
  let from = -2;
  const parts = ZONES.flatMap(([upto, name], zone) => {
    const to = Math.log10(upto), middle = (at(from) + at(to)) / 2;
    const made = [["rect", {x: at(from), y: 40, width: at(to) - at(from), height: 34, class: `zone-${zone}`}],
      ["text", {x: middle, y: 63, "text-anchor": "middle", class: "bold"}, name]];
    from = to;
    return made;
  });
  for (const tick of [0.01, 0.1, 1, 5, 20])
    parts.push(["text", {x: at(Math.log10(tick)), y: 98, "text-anchor": tick < 0.02 ? "start" : tick > 19 ? "end" : "middle", class: "soft"}, tick]);
  parts.push(["polygon", {points: `${at(place) - 9},18 ${at(place) + 9},18 ${at(place)},38`, class: "pin"}],
    ["text", {x: 320, y: 122, "text-anchor": "middle", class: "soft"}, "ε"]);
  draw("guide-chart", parts, `ε = ${short(e)}: ${word}`);
  const error = wrong(e);
  $("guide-said").textContent = `ε = ${short(e)}: protection ${word}. The best adversary is wrong at least ${error < 0.0001 ? error.toExponential(1) : percent(error)} of the time; a coin is wrong half of it.`;
}

for (const [name, show] of Object.entries({add, times, log, sets, guide})) {
  for (const slider of document.querySelectorAll(`input[id^="${name}-"]`)) slider.addEventListener("input", show);
  show();
}
