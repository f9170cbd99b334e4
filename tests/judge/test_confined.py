"""What a submission may not touch while it is graded, nor a kernel that escapes in the engine, in real checks."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

import tritonpuzzles
from tests.conftest import FIXTURE, Check
from tests.judge.planted import plant
from tests.sandbox.needs import needs_landlock
from tritonpuzzles.judge.options import CACHE
from tritonpuzzles.judge.workers import parent
from tritonpuzzles.results.check import Verdict

pytestmark = [needs_landlock(6), pytest.mark.slow]
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
OF_THE_ENGINE = {
    "the file under test": "open('{folder}/p01_square.py').read()",
    "a solution": "open('{solution}').read()",
    "what another file compiled to": "open('{cache}/kept/other/compiled/x.json').read()",
    "its own file's cache": "open('{cache}/kept/x.json', 'w')",
    "times of files": "os.utime('.')",
    "an answer": "assert not [m for m in sys.modules if '.judge' in m or '.references' in m], 'PermissionError'",
    "memory without end": "bytearray(6 << 30)",
}
IN_THE_ENGINE = {"an answer": "done", "memory without end": "MemoryError"}
TRY = """
import os, sys
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


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder for compile results that holds somebody else's."""
    cache = tmp_path / "cache"
    (cache / "kept" / "other" / "compiled").mkdir(parents=True)
    (cache / "kept" / "other" / "compiled" / "x.json").write_text("{}")
    monkeypatch.setenv(CACHE, str(cache))
    return cache


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_nothing_of_it_works_in_the_engine(
    device: str,
    places: dict[str, object],
    own_cache: Path,
    check_source: Check,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second wall: what gets past the check of a text finds no answer and no other file, and changes nothing."""
    deeds = {**DEEDS, **OF_THE_ENGINE}
    with socket.create_server(("127.0.0.1", 0)) as server:
        names = {
            **places,
            "port": server.getsockname()[1],
            "cache": own_cache,
            "solution": FIXTURE / "solutions" / "p01_square.py",
        }
        del deeds["its own file"]  # code that was planted has none
        planted = plant(tmp_path / "planted", "".join(TRY.format(deed=deed.format(**names)) for deed in deeds.values()))
        monkeypatch.setenv("PYTHONPATH", str(planted))
        result = check_source(SOLUTION, device=device, benchmark=False)
    assert result.verdict is Verdict.PASS, result
    told = dict(zip(deeds, result.output.split(), strict=True))
    for name, outcome in told.items():
        refused = (
            {"PermissionError", "ProcessLookupError", "FileNotFoundError"} if "judge's" in name else {"PermissionError"}
        )
        assert outcome in {IN_THE_ENGINE.get(name)} | refused, name
    assert not (PACKAGE / "results" / "evil.py").exists()


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_what_a_taken_engine_compiles_is_believed_of_the_same_text_alone(
    device: str, own_cache: Path, check_source: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forged = "import os\nos.makedirs('compiled', exist_ok=True)\nopen('compiled/forged.json', 'w').write('{}')\n"
    monkeypatch.setenv("PYTHONPATH", str(plant(tmp_path / "planted", forged)))
    assert check_source(SOLUTION, device=device, benchmark=False).passed
    (found,) = own_cache.glob("kept/*/compiled/forged.json")
    parent.warm_parent().close()
    monkeypatch.setattr(parent, "_parent", None)
    monkeypatch.delenv("PYTHONPATH")
    other = SOLUTION + "\nOTHER = 1\n"
    assert check_source(other, device=device, benchmark=False).passed
    again = {path.parents[1].name for path in own_cache.glob("kept/*/*/*")} - {"other", "awake", found.parents[1].name}
    (own,) = again
    assert not (own_cache / "kept" / own / "compiled" / "forged.json").exists()


def test_its_neighbours_are_importable(check_source: Check, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("HALF = 128\n")
    result = check_source(SOLUTION + "\nfrom helper import HALF\nopen('note', 'w').write('x')\nprint(HALF)\n")
    assert (result.verdict, result.output) == (Verdict.PASS, "128\n")
