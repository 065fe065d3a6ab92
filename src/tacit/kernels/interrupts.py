"""When a signal's handler may raise an exception: not while compiled code makes or takes apart a Python object.

Python runs a handler between two instructions of the interpreter. Numba's wrapper around a kernel runs the interpreter, too: a named
tuple is made by its Python constructor, and the class of one that is passed is unpickled by a Python function. An exception out of a
handler that runs there is not looked for: the wrapper goes on with an object that was never made, and the process ends in a
segmentation fault (about one interrupt in seven while records were linked one to one). Kernels therefore return plain tuples, and
:func:`is_safe_to_raise` tells the handler of the command line to wait until the interpreter is back in ordinary code.
"""

from __future__ import annotations

import re
from types import FrameType

NUMBA = re.compile(r"[\\/]numba[\\/]")
GENERATED = ("<string>", "<lambda>")
"""File and name of the code of a named tuple's constructor."""
UNPICKLE = "_numba_unpickle"
"""The function of Numba that compiled code calls to have a class."""
DEPTH = 8
"""So many frames are looked at: a second signal may come while the handler of the first runs."""


def is_safe_to_raise(frame: FrameType | None) -> bool:
    """Whether an exception that is raised in this frame reaches Python code that looks for it.

    It does not below the constructor of a named tuple and below a function of Numba that compiled code may have called. It does
    when Numba compiles, which takes frames of its own.
    """
    inner = frame
    for _ in range(DEPTH):
        if inner is None:
            break
        code = inner.f_code
        if (code.co_filename, code.co_name) == GENERATED or code.co_name == UNPICKLE:
            return False
        inner = inner.f_back
    if frame is None or not NUMBA.search(frame.f_code.co_filename):
        return True
    return frame.f_back is not None and NUMBA.search(frame.f_back.f_code.co_filename) is not None
