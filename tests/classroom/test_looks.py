"""What reaches for the machine is named with its line; what kernels need is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tritonpuzzles.front.classroom.grading.boiled import reaching

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("import os\nos.system('rm -rf /')", "os.system (line 2)"),
        ("import socket as s", "socket (line 1)"),
        ("from urllib.request import urlopen", "urllib.request (line 1)"),
        ("from os import popen", "os.popen (line 1)"),
        ("x = 1\neval('2')", "eval (line 2)"),
        ("import os\nos.execv('a', [])", "os.execv (line 2)"),
        ("open('x')", "open (line 1)"),
    ],
)
def test_what_reaches_out_is_named(text: str, named: str) -> None:
    ((code, sentence),) = reaching(text.encode())
    assert code == "reaches-out"
    assert named in sentence


def test_the_right_kernels_of_the_corpora_have_no_flag() -> None:
    files = [
        *ROOT.glob("solutions/*.py"),
        *ROOT.glob("tests/mutants/*/right/*.py"),
        *ROOT.glob("tests/real_style/*/right/*.py"),
    ]
    assert len(files) > 50
    assert {path.name for path in files if reaching(path.read_bytes())} == set()


@given(st.binary())
def test_any_bytes_may_be_looked_at(data: bytes) -> None:
    assert len(reaching(data)) <= 1


def test_many_names_make_a_short_sentence() -> None:
    ((_, sentence),) = reaching("\n".join(f"import os; os.exec{number}" for number in range(50)).encode())
    assert "and 46 more" in sentence
    assert reaching(b"(" * 100_000) == ()
