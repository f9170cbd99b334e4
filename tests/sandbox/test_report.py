"""What `doctor` prints is what a trial showed."""

from __future__ import annotations

import sys

import pytest

from tests.sandbox.needs import needs_landlock
from tritonpuzzles.sandbox import Held, report


@needs_landlock(1)
def test_a_trial_shows_what_holds() -> None:
    held = report()
    assert any(name.startswith("Landlock ") for name in held.holds)
    assert str(held).startswith("A submission is held by ")


def test_a_trial_that_fails_claims_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    held = report()
    assert held == Held(missing=held.missing)
    assert str(held).startswith("Nothing here holds a submission")
    assert "/no/such/python" in str(held)
