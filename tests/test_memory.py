"""What is given back to the system is given back, and nothing that is still needed."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from dataclasses import replace
from pathlib import Path

import pytest

from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.judge.check import check
from tritonpuzzles.judge.options import CheckOptions
from tritonpuzzles.memory import without_collector
from tritonpuzzles.results.check import Verdict

pytestmark = pytest.mark.slow

linux = pytest.mark.skipif(sys.platform != "linux", reason="`/proc` and the GNU C library")
BEFORE = """
import re, torch
from tritonpuzzles.memory import let_go_of_libraries, return_what_is_free, return_what_is_freed
def taken(kind):
    return int(re.search(rf"{kind}:\\s+(\\d+)", open("/proc/self/status").read())[1]) >> 10
"""


def printed(code: str) -> list[int]:
    done = subprocess.run([sys.executable, "-c", BEFORE + code], capture_output=True, text=True, check=True)
    return [int(word) for word in done.stdout.split()]


def test_the_collector_is_held_back_and_goes_on_as_before() -> None:
    assert gc.isenabled()
    with without_collector():
        with without_collector():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), without_collector():
        1 / 0  # noqa: B018
    assert gc.isenabled()


@linux
def test_libraries_go_and_come_back_as_they_were() -> None:
    before, after, right = printed(
        "before = taken('RssFile'); let_go_of_libraries(); print(before, taken('RssFile'))\n"
        "print(int(torch.equal(torch.ones(64, 64) @ torch.ones(64, 64), torch.full((64, 64), 64.0))))"
    )
    assert after < before / 2
    assert right


@linux
def test_large_blocks_go_as_soon_as_they_are_freed() -> None:
    code = (
        "del (large := [bytes(8 << 20)])[:]\n"  # from now on the heap keeps what is smaller, by itself
        "blocks = [(bytearray(b'x') * (6 << 20), bytearray(b'x') * 70_000) for _ in range(8)]\n"
        "blocks = [small for _, small in blocks]\n"  # which lie between the holes
    )
    before, after = printed("return_what_is_freed(); print(taken('RssAnon'))\n" + code + "print(taken('RssAnon'))")
    assert after - before < 16


def test_nothing_of_a_file_is_kept_while_the_next_is_checked(
    square: Puzzle, square_source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tritonpuzzles.judge.workers.trial import Trial

    trials: list[weakref.ref[Trial]] = []
    made = Trial.__post_init__

    def make(trial: Trial) -> None:
        trials.append(weakref.ref(trial))
        made(trial)

    monkeypatch.setattr(Trial, "__post_init__", make)
    file = tmp_path / "p01_square.py"
    file.write_text(square_source)
    seen: dict[str, int] = {}

    def look(sentence: str) -> None:
        seen[sentence.split()[0]] = sum(trial() is not None for trial in trials)

    items = [(square, file), (replace(square, number=2, slug="second"), file)]
    report = check(items, CheckOptions(device="cpu", seed=3), look)
    assert [result.verdict for result in report.results] == [Verdict.PASS, Verdict.PASS]
    assert (len(trials), seen) == (2, {"p01": 1, "p02": 1})
