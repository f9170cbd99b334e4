"""What the text of a submission says, read once: functions, loops, addresses, assignments, grids and launches.

It answers questions and draws no conclusion: no word for a learner, no puzzle's names. Nothing of the text is run.
"""

from tritonpuzzles.source.file import Source, source_of

__all__ = ["Source", "source_of"]
