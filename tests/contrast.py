"""How well the texts of a page can be read."""

from __future__ import annotations

__all__ = ["CONTRAST"]

CONTRAST = """() => {
  const numbers = colour => (colour.match(/[\\d.]+(?:e-?\\d+)?/g) || []).map(Number);
  const rgba = colour => colour.startsWith('color(srgb ')  // what is mixed: shares instead of bytes
    ? numbers(colour).map((c, i) => i < 3 ? 255 * c : c) : numbers(colour);
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = node => {
    for (let at = node; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const texts = [...document.querySelectorAll('body *')].filter(node =>
    !node.closest('.skip') && [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim()));
  return texts.map(node => {
    const style = getComputedStyle(node);
    const ink = node.closest('svg') ? style.fill : style.color;
    const [a, b] = [light(rgba(ink)), light(ground(node))].sort((x, y) => y - x);
    return [(a + 0.05) / (b + 0.05), node.tagName + ': ' + node.textContent.slice(0, 40)];
  });
}"""
"""Every text of a page with the contrast between its ink and its ground (WCAG 1.4.3)."""
