"""Kill a process that writes progress, at a random moment, many times; each time all that it had written must be there.

python -m tests.front.kill_writers FOLDER TIMES SEED prints how many entries were written, or what was lost.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from tritonpuzzles.front.workspace.progress import Progress
from tritonpuzzles.front.workspace.state import Entries, State

SLUG, LONGEST = "online_softmax", 0.004  # seconds


def main(folder: Path, times: int, seed: int) -> int:
    """Kill so many writers; return how many updates they made in all."""
    chance, counted = random.Random(seed), 0
    for kill in range(times):
        written = killed(folder, chance.uniform(0, LONGEST), chance.random() < 0.5)
        found = State(folder, complain).read().get(SLUG, Progress()).attempts
        if found not in (counted + written, counted + written + 1):  # one more than it could say
            complain(f"kill {kill}: {counted} and {written} more were written, {found} are there")
        counted = found
    left = {path.name for path in folder.iterdir()} - {"state.json", ".state.json.new", "lock"}
    if left:
        complain(f"files are left: {left}")
    return counted


def killed(folder: Path, delay: float, after_first: bool) -> int:
    """Kill a writer some time after its start, or its first update; return how many it says that it made."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reads)
        write_forever(folder, writes)
    os.close(writes)
    said = len(os.read(reads, 1)) if after_first else 0
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while got := os.read(reads, 1 << 16):
        said += len(got)
    os.close(reads)
    return said


def write_forever(folder: Path, says: int) -> NoReturn:
    """Count up in the state, and say so after each step."""
    state = State(folder, complain)
    with contextlib.suppress(BaseException):
        while True:
            state.update(one_more)
            os.write(says, b".")
    os._exit(1)


def one_more(entries: Entries) -> None:
    entry = entries.get(SLUG, Progress())
    entries[SLUG] = replace(entry, attempts=entry.attempts + 1, codes=("x" * (entry.attempts % 3000),))


def complain(sentence: str) -> NoReturn:
    print(sentence, flush=True)
    os._exit(1)


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
