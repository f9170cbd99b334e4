"""Root's powers, given up for good: a submission that root starts has those of an ordinary user, reading aside.

Reading other users' files stays, for root grades what students own; Landlock says which.
"""

from __future__ import annotations

import contextlib
import errno
import os
import struct

from tritonpuzzles.sandbox.kernel import PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, PR_CAPBSET_DROP, prctl, syscall

DAC_READ_SEARCH = 2
VERSION = 0x20080522  # of `struct __user_cap_header_struct`: two words of 32 capabilities


def drop() -> str | None:
    """Keep no capability but DAC_READ_SEARCH, and that only where this thread has it; say "" where it has none at all.

    Raises:
        OSError: if the kernel does not have capabilities.
    """
    had = _permitted()
    with contextlib.suppress(OSError):  # kernels before 4.3
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    for capability in range(64):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EINVAL):
                raise
            break  # an ordinary user has none to drop; or there are no more
    kept = had & 1 << DAC_READ_SEARCH if os.geteuid() == 0 else 0  # a user has them in a user namespace of its own
    header = struct.pack("=Ii", VERSION, 0)
    syscall("capset", header, struct.pack("=6I", kept, kept, 0, 0, 0, 0))
    return None if had else ""


def _permitted() -> int:
    with open("/proc/self/status", encoding="ascii", errors="replace") as status:
        fields = dict(line.split(":", 1) for line in status if ":" in line)
    return int(fields["CapPrm"], 16)
