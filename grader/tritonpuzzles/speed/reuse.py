"""The bytes of a product that DRAM moves: what the L2 cache has lost before another program asks for it again.

Programs that start one after the other, and take equally long, are spread evenly over their loops. So one that starts
d programs after another reads a shared tile as much later as d programs take to start, in every iteration. Meanwhile
the cache takes in, for each of the d starts, what one program reads and no nearer program has read: its working set
grows by the bytes that miss at each distance [1].

[1] Denning and Schwartz, Properties of the Working-Set Model, CACM 15(3), 1972.
"""

from __future__ import annotations

from collections.abc import Sequence


def missed_share(reuse: Sequence[tuple[int, float]], program_bytes: float, l2_bytes: float) -> float:
    """Return the share of loaded bytes that a cache has lost before they are loaded again.

    reuse: by distance in programs, ascending, the share of loaded bytes that the program so far before has loaded; the
    rest is not loaded again nearby. 0 if the cache holds all that programs read over the longest distance.
    """
    missed, held, before = 1.0, 0.0, 0
    for distance, share in reuse:
        held += (distance - before) * missed * program_bytes
        if held > l2_bytes:
            return missed
        missed, before = missed - share, distance
    return 0.0
