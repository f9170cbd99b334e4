"""The judge reads the text of kernels where the recorder may read it, and nowhere else, whatever leads there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import Check
from tritonpuzzles.judge.workers.job import Texts, granted
from tritonpuzzles.results.check import Verdict
from tritonpuzzles.wire.kernels import MAX_FILES

KERNEL = "def kernel(): ...\n"


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    """Files with a kernel: of a submission's folder, of the recorder's own, of Python's, and of no business of it."""
    names = {
        "file": "class/p01.py",
        "module": "class/more/module.py",
        "hidden": "class/.state/p01.py",
        "own": "recorder/made.py",
        "package": "python/package/module.py",
        "walled": "python/tritonpuzzles/judge/check.py",
        "solution": "solutions/p01.py",
        "beside": "class2/p01.py",
    }
    made = {name: tmp_path / path for name, path in names.items()}
    for path in made.values():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(KERNEL)
    return made


@pytest.fixture
def texts(places: dict[str, Path], tmp_path: Path) -> Texts:
    said = {"python": [str(tmp_path / "python")], "walled": [str(places["walled"].parent)]}
    return Texts(granted(said, places["file"], tmp_path / "recorder"))


@pytest.mark.parametrize(
    ("name", "read"),
    [
        *[(name, True) for name in ("file", "module", "own", "package")],
        *[(name, False) for name in ("hidden", "walled", "solution", "beside")],
    ],
)
def test_what_the_recorder_may_read_is_read(name: str, read: bool, texts: Texts, places: dict[str, Path]) -> None:
    path = str(places[name])
    assert texts.of([path]) == ({path: KERNEL} if read else {})


@pytest.mark.parametrize("folder", ["class", "recorder"])
def test_no_link_leads_out(folder: str, texts: Texts, places: dict[str, Path], tmp_path: Path) -> None:
    links = {"file.py": places["solution"], "folder": places["solution"].parent, "up": tmp_path}
    for name, target in links.items():
        (tmp_path / folder / name).symlink_to(target)
    home = tmp_path / folder
    told = [home / "file.py", home / "folder/p01.py", home / "up/solutions/p01.py", home / "../solutions/p01.py"]
    assert texts.of(list(map(str, told))) == {}
    assert texts.of([f"/proc/self/root{places['solution']}"]) == {}


def test_a_link_that_stays_inside_is_followed(texts: Texts, places: dict[str, Path], tmp_path: Path) -> None:
    link = tmp_path / "class" / "again.py"
    link.symlink_to(places["module"])
    assert texts.of([str(link)]) == {str(link): KERNEL}


def test_a_folder_that_becomes_a_link_on_the_way_is_not_followed(
    texts: Texts, places: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved, resolve = places["own"].parent, os.path.realpath

    def resolved(path: str) -> str:
        found = resolve(path)
        moved.rename(tmp_path / "away")
        moved.symlink_to(places["solution"].parent)
        (moved / "made.py").write_text("secret")
        return found

    monkeypatch.setattr(os.path, "realpath", resolved)
    assert texts.of([str(places["own"])]) == {}


def test_a_file_is_read_once(texts: Texts, places: dict[str, Path]) -> None:
    path = str(places["file"])
    assert texts.of([path]) == {path: KERNEL}
    places["file"].write_text("changed")
    assert texts.of([path]) == {path: KERNEL}


def test_there_are_so_many_files(texts: Texts, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"more than {MAX_FILES} files"):
        texts.of([str(tmp_path / f"{n}.py") for n in range(MAX_FILES + 1)])


def test_a_kernel_of_a_module_beside_the_file_is_run(check_source: Check, square_source: str, tmp_path: Path) -> None:
    (tmp_path / "beside").mkdir()
    kernel, host = square_source.split("def square(")
    (tmp_path / "beside" / "kernels.py").write_text(kernel)
    (tmp_path / "beside" / "__init__.py").touch()
    result = check_source(
        f"{kernel.split('@triton.jit')[0]}from beside.kernels import square_kernel\n\ndef square({host}"
    )
    assert result.verdict is Verdict.PASS, result.findings
