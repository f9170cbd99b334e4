"""What the text of a submission says, read once: functions, loops, addresses, assignments, grids and launches.

It answers questions and draws no conclusion: no word for a learner, no puzzle's names. Nothing of the text is run.
"""

from tritonpuzzles.source.file import Source, source_of
from tritonpuzzles.source.one_at_a_time import parse_one_at_a_time

parse_one_at_a_time()

__all__ = ["Source", "source_of"]
