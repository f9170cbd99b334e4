"""Plain Linux's means, without root, to keep a submission away from the grader, other files and other processes.

Call `supervise` at the very start of a process: when it ends, every process that it started ends too. Call `confine`
before the submission is imported: it restricts files, sockets and other processes. `report` tells what this machine
enforces; `str(report())` is a sentence. For files of hostile code there are `read_regular`, `remove_tree`, `Scratch`
for folders that are removed with their process, and sealed files in memory.
"""

import sys

from tritonpuzzles.sandbox.kernel import Held, not_dumpable
from tritonpuzzles.sandbox.reading import NotRegularError, TooLargeError, read_regular

if sys.platform == "linux":  # nothing is graded elsewhere, and all else needs only the above
    from tritonpuzzles.sandbox.confine import confine, ended_for_memory, limit_data, report
    from tritonpuzzles.sandbox.supervisor import OWN_USER, computed_by, supervise
    from tritonpuzzles.sandbox.temporary import Scratch, give, read_sealed, remove_abandoned, remove_tree, seal

__all__ = [
    "OWN_USER", "Held", "NotRegularError", "Scratch", "TooLargeError", "computed_by", "confine",
    "ended_for_memory", "give", "limit_data", "not_dumpable", "read_regular", "read_sealed", "remove_abandoned",
    "remove_tree", "report", "seal", "supervise",
]  # fmt: skip
