"""Where nothing keeps one student's file from another's, nothing is graded."""

from __future__ import annotations

import pytest

from tritonpuzzles.judge.many import not_held
from tritonpuzzles.results.check import Confinement


@pytest.mark.parametrize(
    ("holds", "lacking"),
    [
        ((), "files and processes"),
        (("a PID namespace", "the loss of root's powers", "Landlock 7", "a filter on system calls"), None),
        (("a supervisor", "Landlock 7"), None),
        (("a supervisor", "Landlock 3"), "processes"),
        (("a supervisor", "Landlock 5 in one of 3 threads", "a filter on system calls"), "processes"),
        (("a PID namespace", "a filter on system calls"), "files"),
        (("a supervisor", "a user of its own"), None),
        (("a PID namespace", "a user of its own"), None),
    ],
)
def test_files_and_processes_must_be_kept_apart(holds: tuple[str, ...], lacking: str | None) -> None:
    why = not_held(Confinement(holds, ("Landlock (Function not implemented)",)))
    if lacking is None:
        assert why is None
    else:
        assert why is not None
        assert f"keeps the {lacking} of one student" in why
        assert "Landlock (Function not implemented)" in why


def test_what_nobody_knows_holds_nothing() -> None:
    assert not_held(None) is not None
