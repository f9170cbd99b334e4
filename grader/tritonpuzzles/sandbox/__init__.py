"""What plain Linux gives, without root, to keep a submission away from the grader, other files and other processes.

`supervise` at the very start of a process: when it ends, all that it started ends too. `confine` before the submission
is imported: files, sockets, other processes. `report` says what of this holds on this machine; `str(report())` is a
sentence. Beside them, for what hostile code has made: `read_regular`, `remove_tree`, `Scratch` for folders that go with
their process, and files in memory, sealed.
"""

import sys

from tritonpuzzles.sandbox.kernel import Held, not_dumpable
from tritonpuzzles.sandbox.reading import NotRegularError, TooLargeError, read_regular

if sys.platform == "linux":  # elsewhere nothing is graded, and all else needs no more than the above
    from tritonpuzzles.sandbox.confine import confine, ended_for_memory, limit_data, report
    from tritonpuzzles.sandbox.supervisor import OWN_USER, computed_by, supervise
    from tritonpuzzles.sandbox.temporary import Scratch, give, read_sealed, remove_abandoned, remove_tree, seal

__all__ = [
    "OWN_USER", "Held", "NotRegularError", "Scratch", "TooLargeError", "computed_by", "confine",
    "ended_for_memory", "give", "limit_data", "not_dumpable", "read_regular", "read_sealed", "remove_abandoned",
    "remove_tree", "report", "seal", "supervise",
]  # fmt: skip
