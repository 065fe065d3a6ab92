// Amounts of ε and ρ come as exact fractions ("1/10") and stay exact: whole numbers over whole numbers.

/** A fraction from "1/10" or "3". */
export function fraction(text) {
  const [above, below = "1"] = String(text).split("/");
  return { above: BigInt(above), below: BigInt(below) };
}

/** What is left of a when b is taken; nothing is left of what is overspent. */
export function minus(a, b) {
  const above = a.above * b.below - b.above * a.below;
  return { above: above < 0n ? 0n : above, below: a.below * b.below };
}

export const covers = (a, b) => a.above * b.below >= b.above * a.below;
export const isNothing = a => a.above === 0n;

/** a/b as a number from 0 to 1, for drawing only. */
export function share(a, b) {
  if (b.above === 0n) return 0;
  return Number((a.above * b.below * 1000000n) / (a.below * b.above)) / 1e6;
}

/** The fraction as people write it: all its decimals when they are few, else six digits. */
export function decimal({ above, below }) {
  if (above < 0n) return `-${decimal({ above: -above, below })}`;
  for (let places = 0, scale = 1n; places <= 9; places += 1, scale *= 10n) {
    if ((above * scale) % below !== 0n) continue;
    const digits = String((above * scale) / below).padStart(places + 1, "0");
    return places ? `${digits.slice(0, -places)}.${digits.slice(-places)}` : digits;
  }
  return String(Number((Number(above) / Number(below)).toPrecision(6)));
}

/** An amount to type again: its decimals when they are all of it, else the fraction itself. */
export function typeable(text) {
  const { above, below } = fraction(text);
  return (above * 10n ** 9n) % below === 0n ? decimal({ above, below }) : text;
}

export const symbol = unit => (unit === "rho" ? "ρ" : "ε");

/** A cost in words: "ε = 0.1", with its δ where it has one, or "nothing". */
export function worded({ unit, amount, delta }) {
  const [much, small] = [fraction(amount), fraction(delta)];
  if (isNothing(much) && isNothing(small)) return "nothing";
  return `${symbol(unit)} = ${decimal(much)}${isNothing(small) ? "" : `, δ = ${tiny(small)}`}`;
}

/** A small number such as δ: "1e-6". */
export function tiny({ above, below }) {
  const number = Number((Number(above) / Number(below)).toPrecision(3));
  return number !== 0 && number < 1e-3 ? number.toExponential() : String(number);
}
