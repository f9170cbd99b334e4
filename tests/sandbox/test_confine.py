"""One call holds all that the kernel can, and tells the truth about what it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sandbox.child import confined, run, tried
from tests.sandbox.needs import needs_landlock, needs_linux, needs_root
from tritonpuzzles.sandbox.kernel import Held, attempt

LIMITS = "import resource; assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)"
WITHOUT = """
from tritonpuzzles.sandbox import kernel
kernel.machine = lambda: None
"""


@needs_landlock(6)
def test_it_says_what_holds(tmp_path: Path) -> None:
    told = run(confined(tmp_path) + "print(str(held))", tmp_path)
    assert told.startswith("A submission is held by ")
    assert "Landlock" in told
    assert "a filter on system calls" in told
    assert "not by" not in told


def test_it_says_where_nothing_holds(tmp_path: Path) -> None:
    told = run(WITHOUT + confined(tmp_path) + "print(str(held))", tmp_path)
    assert told.startswith("Nothing here holds a submission: it may do all that its user may (")
    assert "Landlock (" in told


@needs_landlock(1)
def test_it_says_which_threads_it_does_not_hold(tmp_path: Path) -> None:
    thread = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    told = run(thread + confined(tmp_path) + "print(*held.holds)", tmp_path)
    assert "in one of 2 threads" in told


@needs_linux
@pytest.mark.parametrize(
    ("deed", "free"),
    [
        (LIMITS, None),
        ("assert open('/proc/self/oom_score_adj').read() == '1000\\n'", "AssertionError"),
        ("f = open('large', 'wb'); f.truncate((4 << 30) + 1)", "done"),
    ],
)
def test_limits(deed: str, free: str | None, tmp_path: Path) -> None:
    assert run(confined(tmp_path) + tried(deed), tmp_path) == ("OSError" if "large" in deed else "done")
    assert free is None or run(tried(deed), tmp_path) == free


@needs_root
def test_root_loses_its_powers(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "closed").write_text("x")
    (mine / "closed").chmod(0)
    deed = "open('closed', 'a')"  # which root may, and a user may not
    assert run(confined(mine) + tried(deed), mine) == "PermissionError"
    assert run(tried(deed), mine) == "done"
    assert run(confined(mine) + tried("open('closed').read()"), mine) == "done"  # a class hands in unreadable files


def test_a_sentence_for_each_mixture() -> None:
    def fails() -> str | None:
        raise OSError(1, "Operation not permitted")

    both = attempt("a wall", lambda: None) + attempt("a moat", lambda: "a deep moat") + attempt("limits", lambda: "")
    assert both.__str__() == "A submission is held by a wall and a deep moat."
    assert (both + attempt("a roof", fails)).__str__() == (
        "A submission is held by a wall and a deep moat; not by a roof (Operation not permitted)."
    )
    assert Held((), ("a roof (no)",)).__str__() == (
        "Nothing here holds a submission: it may do all that its user may (a roof (no))."
    )
