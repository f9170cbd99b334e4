"""What a submission may not touch while it is graded: each deed in a file that is otherwise right, in real checks."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

import tritonpuzzles
from tests.conftest import FIXTURE, Check
from tests.sandbox.needs import needs_landlock
from tritonpuzzles.judge.workers import parent
from tritonpuzzles.results.check import Verdict

pytestmark = needs_landlock(6)
PACKAGE = Path(tritonpuzzles.__file__).parent
SOLUTION = (FIXTURE / "solutions" / "p01_square.py").read_text()
DEEDS = {
    "the judge's memory": "open(f'/proc/{judge}/mem', 'r+b')",
    "the judge's environment": "open(f'/proc/{judge}/environ').read()",
    "the judge's end": "os.kill({judge}, 0)",
    "the package": "open('{package}/results/check.py', 'a')",
    "a new module in the package": "open('{package}/results/evil.py', 'w')",
    "a record": "open('{package}/curriculum/records/p01_softmax.toml').read()",
    "a reference": "open('{package}/curriculum/references.py').read()",
    "the judge's code": "open('{package}/judge/check.py').read()",
    "a .pth file": "import sysconfig; open(sysconfig.get_path('purelib') + '/evil.pth', 'w')",
    "the next learner's file": "open('{folder}/p02_next.py', 'a')",
    "its own file": "open(__file__, 'a')",
    "the progress of its learner": "open('{folder}/.tritonpuzzles/state.json').read()",
    "a waiting worker's job": "os.mkfifo('{other}/job.json')",
    "a file that is none of its business": "open('{elsewhere}').read()",
    "a port": "import socket; socket.create_connection(('127.0.0.1', {port}))",
}
TRY = """
import os
try:
    {deed}
    print("done")
except BaseException as error:
    print(type(error).__name__)
"""


@pytest.fixture(autouse=True)
def own_parent(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A fork server that was started without a path of anybody's: what is on it, a file may read."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr(parent, "_parent", None)
    yield
    parent.warm_parent().close()


@pytest.fixture
def places(tmp_path: Path) -> dict[str, object]:
    """Return what deeds are done to."""
    (tmp_path / ".tritonpuzzles").mkdir()
    (tmp_path / ".tritonpuzzles" / "state.json").write_text("{}")
    (tmp_path / "p02_next.py").write_text("mine")
    (tmp_path / "other").mkdir()
    return {
        "judge": os.getpid(),
        "package": PACKAGE,
        "folder": tmp_path,
        "other": tmp_path / "other",
        "elsewhere": __file__,
    }


def test_nothing_of_it_works(places: dict[str, object], check_source: Check) -> None:
    """All in one check, for a worker takes seconds to start."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        names = {**places, "port": server.getsockname()[1]}
        result = check_source(SOLUTION + "".join(TRY.format(deed=deed.format(**names)) for deed in DEEDS.values()))
    assert result.verdict is Verdict.PASS, result
    told = dict(zip(DEEDS, result.output.split(), strict=True))
    unseen = {"ProcessLookupError", "FileNotFoundError"}  # in a namespace of its own there is no such process
    assert {name: error for name, error in told.items() if error not in unseen or "judge's" not in name} == {
        name: "PermissionError" for name in DEEDS if told[name] not in unseen or "judge's" not in name
    }
    assert not (PACKAGE / "results" / "evil.py").exists()


def test_its_neighbours_are_importable(check_source: Check, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("HALF = 128\n")
    result = check_source(SOLUTION + "\nfrom helper import HALF\nopen('note', 'w').write('x')\nprint(HALF)\n")
    assert (result.verdict, result.output) == (Verdict.PASS, "128\n")
