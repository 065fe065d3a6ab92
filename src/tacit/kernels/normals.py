"""Normal numbers from random bits, by layers of equal area (the ziggurat).

References
----------
Marsaglia and Tsang (2000), The ziggurat method for generating random variables, Journal of Statistical Software 5(8).
"""

from __future__ import annotations

import numpy as np
from numba import njit

LAYERS = 256
EDGE = 3.6541528853610088
"""Where the tail begins when the normal density is covered by 256 layers of equal area (Marsaglia and Tsang 2000)."""


def _ziggurat_layers():
    """Right ends and heights of the layers, from the tail upwards."""
    ends, height = np.empty(LAYERS + 1), np.empty(LAYERS + 1)
    density = np.exp(-EDGE * EDGE / 2)
    from math import erfc, pi, sqrt

    area = EDGE * density + sqrt(pi / 2) * erfc(EDGE / sqrt(2))
    ends[0], ends[1] = area / density, EDGE
    height[0], height[1] = 0.0, density
    for layer in range(2, LAYERS):
        height[layer] = height[layer - 1] + area / ends[layer - 1]
        ends[layer] = np.sqrt(-2 * np.log(height[layer]))
    ends[LAYERS], height[LAYERS] = 0.0, 1.0
    return ends, height


ENDS, HEIGHT = _ziggurat_layers()
STEP, INSIDE = ENDS[:-1] * 2.0**-53, ENDS[1:].copy()


@njit(cache=True, nogil=True)
def add_normals(words, values, scale, out):
    """Write values plus independent normal numbers times the scale to ``out``; returns the rows that stay open.

    Every number has a word of 64 bits: eight choose its layer, 54 the place in it. A place outside the density (one in
    a hundred) is left to :func:`settle_outside`, and the value is written as it is. ``out`` may be the values. O(n) time.
    """
    outside, count = np.empty(len(out) + 1, np.int32), np.uint64(0)
    for i in range(len(out)):
        place, layer = _layer_position(words[i])
        far = abs(place) >= INSIDE[layer]
        out[i] = values[i] + (0.0 if far else place * scale)
        outside[count] = i
        count += np.uint64(far)
    return outside[:count]


@njit(cache=True, nogil=True)
def settle_outside(words, outside, done, spare, used, scale, out):
    """Add normal numbers in the rows ``outside``, from the one after ``done`` of them on.

    Each is decided, or drawn anew, with spare words in the order of the rows: so the first m numbers are the same for
    every n ≥ m. Returns how many of the rows are done and how many spare words are used, where these came to an end
    or at last.
    """
    while done < len(outside):
        row = outside[done]
        place, layer = _layer_position(words[row])
        place, after = _settle_one(place, layer, spare, used)
        if after < 0:
            break
        out[row] += place * scale
        done, used = done + 1, after
    return done, used


@njit(cache=True, nogil=True)
def _layer_position(bits):
    layer = bits & np.uint64(255)
    return (np.int64(bits) >> 10) * STEP[layer], layer


@njit(cache=True, nogil=True)
def _settle_one(place, layer, spare, used):
    """A number for a place outside the density, and how many spare words are used then; −1 when they came to an end."""
    while used + 2 <= len(spare):
        if layer == 0:
            beyond = -np.log(_unit_uniform(spare[used])) / EDGE
            high = -2 * np.log(_unit_uniform(spare[used + 1]))
            used += 2
            if high > beyond * beyond:
                return (EDGE + beyond if place > 0 else -EDGE - beyond), used
            continue
        height = HEIGHT[layer] + _unit_uniform(spare[used]) * (HEIGHT[layer + np.uint64(1)] - HEIGHT[layer])
        if height < np.exp(-0.5 * place * place):
            return place, used + 1
        place, layer = _layer_position(spare[used + 1])
        used += 2
        if abs(place) < INSIDE[layer]:
            return place, used
    return place, -1


@njit(cache=True, nogil=True)
def _unit_uniform(word):
    """A word as a number in (0, 1)."""
    return (float(word >> np.uint64(11)) + 0.5) * 2.0**-53
