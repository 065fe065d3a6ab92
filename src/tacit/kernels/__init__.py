"""Arrays in, arrays out: the arithmetic that is worth compiling. No word of the domain in here.

Kernels are compiled by numba on their first call and cached on disk; :mod:`.warm` calls each of them once. They are
imported where they are used, so that nothing is compiled when the package is imported.
"""
