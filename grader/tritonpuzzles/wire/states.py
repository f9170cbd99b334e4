"""What an engine tells of a kernel's variables, and how much of it: both sides hold to the same bounds."""

from __future__ import annotations

LOAD, STORE, VALUE = "load", "store", "value"
KINDS = (LOAD, STORE, VALUE)
MAX_PROGRAMS = 64  # of a batch
MAX_EVENTS = 10_000  # of a call
MAX_CALLS = 8  # of functions within one another
MAX_ELEMENTS = 1 << 21  # numbers of a call, 4 bytes each
MAX_PAYLOAD = 4 * MAX_ELEMENTS + MAX_PROGRAMS * MAX_EVENTS
