"""An archive that somebody else made: nothing of it lands elsewhere, nothing fills the disk, the rest is graded."""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.classroom.making import P0, P1, P3, RIGHT, archive, folder, found, reasons, taken, zipped
from tritonpuzzles.front.classroom.intake.archives import ArchiveError, Budget, unpack
from tritonpuzzles.front.errors import FrontError

GOOD = RIGHT[0]


def entry(name: str, mode: int = 0, system: int = 3) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name, (2026, 11, 20, 10, 0, 0))
    made.external_attr, made.create_system, made.compress_type = mode << 16, system, zipfile.ZIP_DEFLATED
    return made


def with_entries(path: Path, *entries: tuple[zipfile.ZipInfo, bytes | str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as made:
        made.writestr(entry(P0), GOOD)
        for one, data in entries:
            made.writestr(one, data)
    return path


@pytest.mark.parametrize(
    "name", [f"../{P1}", f"/tmp/{P1}", f"a/../../{P1}", f"..\\{P1}", f"C:\\{P1}", f"C:{P1}", f"\\\\host\\share\\{P1}"]
)
def test_a_name_that_leads_out_is_refused_and_the_rest_is_graded(name: str, tmp_path: Path) -> None:
    intake = taken(with_entries(tmp_path / "class/ada.zip", (entry(name), RIGHT[1])).parent)
    assert set(found(intake)) == {("ada", 0)}
    assert [one.reason for one in intake.untaken] == ["It has a name that leads out of the archive."]
    assert [path.name for path in tmp_path.rglob("*.py")] == []


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_links_and_devices_are_refused(kind: int, tmp_path: Path) -> None:
    link = entry(P1, kind | 0o777), "/etc/passwd"
    intake = taken(with_entries(tmp_path / "class/ada.zip", link).parent)
    assert set(found(intake)) == {("ada", 0)}
    assert reasons(intake)[f"ada.zip/{P1}"].startswith("It is a link, a pipe or a device in the archive")


def test_bombs_are_refused(tmp_path: Path) -> None:
    sizes = {"big.py": 40 << 20, "p03_online_softmax.ipynb": 15 << 20, "p01_softmax.ipynb": 17 << 20}
    intake = taken(with_entries(tmp_path / "class/ada.zip", *((entry(n), bytes(b)) for n, b in sizes.items())).parent)
    assert set(found(intake)) == {("ada", 0)}
    assert reasons(intake)["ada.zip/big.py"] == "It has 41,943,040 bytes; a .py file may have 1,048,576."
    assert reasons(intake)["ada.zip/p01_softmax.ipynb"] == "It has 17,825,792 bytes; a .ipynb file may have 16,777,216."
    assert "says that it unpacks" in reasons(intake)["ada.zip/p03_online_softmax.ipynb"]


def test_a_bomb_that_lies_about_its_size_is_stopped(tmp_path: Path) -> None:
    path = with_entries(tmp_path / "class/ada.zip", (entry(P1), b"#" * (3 << 20)))
    data = path.read_bytes().replace(struct.pack("<I", 3 << 20), struct.pack("<I", 5000))
    path.write_bytes(data)
    intake = taken(path.parent)
    assert set(found(intake)) == {("ada", 0)}
    assert f"ada.zip/{P1}" in reasons(intake)


def test_more_than_an_archive_may_hold_is_refused(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.zip", {f"{n}.py": os.urandom(1000).hex() for n in range(40)})
    for budget, why in (
        (Budget(30, 1 << 20, 1 << 20), "holds 40 files; at most 30"),
        (Budget(50, 1 << 20, 50_000), "unpacks to more than"),
    ):
        with pytest.raises(ArchiveError, match=why):
            unpack(path, tmp_path, budget)


def test_archives_in_an_archive_share_its_budget(tmp_path: Path) -> None:
    inner = zipped({f"part{n}.py": os.urandom(450_000).hex() for n in range(4)}, tmp_path)
    intake = taken(archive(tmp_path / "class/ada.zip", {P0: GOOD, **{f"{n}.zip": inner for n in range(10)}}).parent)
    assert set(found(intake)) == {("ada", 0)}
    full = [name for name, why in reasons(intake).items() if "unpacks to more than" in why]
    assert 0 < len(full) < 10
    assert all(name.startswith("ada.zip/") for name in full)


def test_a_broken_archive_in_an_archive_leaves_the_next_alone(tmp_path: Path) -> None:
    inner = zipped({P1: RIGHT[1]}, tmp_path)
    intake = taken(archive(tmp_path / "class/ada.zip", {P0: GOOD, "a.zip": b"PK", "b.zip": inner}).parent)
    assert set(found(intake)) == {("ada", 0), ("ada", 1)}
    assert "is no zip" in reasons(intake)["ada.zip/a.zip"]


def test_a_class_in_an_archive_in_the_folder_is_named_itself(tmp_path: Path) -> None:
    path = folder(tmp_path / "class", {"class.toml": "", "roster.csv": "id,name\n"})
    archive(path / "handed_in.zip", {f"ada_{n}_assignsubmission_file_/{P0}": GOOD for n in range(3)})
    with pytest.raises(FrontError, match="class holds one archive, and in it Moodle's folders") as caught:
        taken(path)
    assert caught.value.next_step == "name the archive itself: tritonpuzzles class grade class/handed_in.zip"
    assert len(taken(path / "handed_in.zip").files) == 3


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_without_a_bound_are_refused(kind: int, tmp_path: Path) -> None:
    intake = taken(archive(tmp_path / "class/ada.zip", {P0: GOOD}, kind).parent)
    assert "another method than Deflate" in reasons(intake)[f"ada.zip/{P0}"]


def test_a_list_of_files_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    path = archive(tmp_path / "class/ada.zip", {f"{n:0200d}": "" for n in range(20_000)})
    intake = taken(folder(path.parent, {f"bob/{P0}": GOOD}))
    assert reasons(intake) == {"ada.zip": "It has a list of files longer than 4,194,304 bytes."}
    assert set(found(intake)) == {("bob", 0)}


def test_a_zip_in_a_zip_is_unpacked_and_one_in_that_is_not(tmp_path: Path) -> None:
    deepest = zipped({P3: RIGHT[3]}, tmp_path)
    inner = zipped({P1: RIGHT[1], "deepest.zip": deepest}, tmp_path)
    intake = taken(archive(tmp_path / "class/ada.zip", {P0: GOOD, "inner.zip": inner}).parent)
    assert set(found(intake)) == {("ada", 0), ("ada", 1)}
    assert reasons(intake) == {
        "ada.zip/inner.zip/deepest.zip": "It is a zip in a zip of a student's: hand in one zip, or the files."
    }


def test_of_two_files_of_one_name_the_first_counts(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        path = with_entries(tmp_path / "class/ada.zip", (entry(P0), "second"))
    intake = taken(path.parent)
    assert found(intake)["ada", 0].file.read_text() == GOOD
    assert reasons(intake) == {f"ada.zip/{P0}": "It is in the archive twice; the first counts."}


def damaged(change: Callable[[bytearray], None], path: Path) -> None:
    data = bytearray(path.read_bytes())
    change(data)
    path.write_bytes(data)


def set_flag(data: bytearray, bit: int) -> None:
    """Set a flag of every entry, beside its data and in the list."""
    for sign, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = -1
        while (at := data.find(sign, at + 1)) >= 0:
            data[at + offset] |= bit


def test_an_encrypted_archive_says_so(tmp_path: Path) -> None:
    path = archive(tmp_path / "class/ada.zip", {P0: GOOD})
    damaged(lambda data: set_flag(data, 1), path)
    assert reasons(taken(path.parent)) == {f"ada.zip/{P0}": "It is encrypted: make the zip without a password."}


def test_damaged_data_and_unknown_methods_are_said(tmp_path: Path) -> None:
    path = archive(tmp_path / "class/ada.zip", {P0: GOOD, P1: RIGHT[1]}, zipfile.ZIP_STORED)
    damaged(lambda data: data.__setitem__(100, data[100] ^ 1), path)
    intake = taken(path.parent)
    assert set(found(intake)) == {("ada", 1)}
    assert "Bad CRC-32" in reasons(intake)[f"ada.zip/{P0}"]


@pytest.mark.parametrize("data", [b"", b"PK", b"<html>Log in</html>", b"PK\x05\x06" + b"\xff" * 18])
def test_what_is_no_zip_is_said_of_a_student_and_ends_the_command_of_a_class(data: bytes, tmp_path: Path) -> None:
    path = folder(tmp_path / "class", {"ada.zip": data, f"bob/{P0}": GOOD})
    intake = taken(path)
    assert set(found(intake)) == {("bob", 0)}
    assert [(one.student, one.shown) for one in intake.untaken] == [("ada", "ada.zip")]
    assert intake.students == ("ada", "bob")
    with pytest.raises(FrontError, match=r"ada\.zip "):
        taken(path / "ada.zip")


def test_names_that_are_no_utf8(tmp_path: Path) -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as made:
        made.writestr("Jürgen/p00_vector_add.py", GOOD)  # with the flag that says UTF-8
    flagged = written.getvalue()
    plain = bytearray(flagged)
    for sign, offset in ((b"PK\x03\x04", 7), (b"PK\x01\x02", 9)):
        plain[plain.find(sign) + offset] &= ~8
    broken = flagged.replace("ü".encode(), b"\xff\xff")
    path = folder(tmp_path / "class", {"flagged.zip": flagged, "macos.zip": bytes(plain), "broken.zip": broken})
    intake = taken(path)
    assert {one.shown for one in intake.files} == {
        "flagged.zip/Jürgen/p00_vector_add.py", "macos.zip/Jürgen/p00_vector_add.py",
    }  # fmt: skip
    assert "is no zip that can be read" in reasons(intake)["broken.zip"]


def test_windows_separates_by_backslashes(tmp_path: Path) -> None:
    path = archive(tmp_path / "class.zip", {f"ada\\work\\{P0}": GOOD, f"bob\\{P0}": GOOD})
    assert set(found(taken(path))) == {("ada", 0), ("bob", 0)}


def test_what_is_made_or_hidden_is_left_in_the_archive(tmp_path: Path) -> None:
    names = [f"__MACOSX/._{P0}", f".ipynb_checkpoints/{P1}", f"__pycache__/{P1}", ".git/hooks/p03_online_softmax.py"]
    intake = taken(with_entries(tmp_path / "class/ada.zip", *((entry(name), RIGHT[1]) for name in names)).parent)
    assert set(found(intake)) == {("ada", 0)}
    assert intake.untaken == ()


def test_the_time_of_a_students_zip_counts_and_not_what_stands_in_it(tmp_path: Path) -> None:
    path = with_entries(tmp_path / "class/ada.zip")
    os.utime(path, (1.8e9, 1.8e9))
    assert found(taken(path.parent))["ada", 0].handed_in == datetime.fromtimestamp(1.8e9, timezone.utc)


def test_an_archive_that_knows_its_time_zone_is_believed(tmp_path: Path) -> None:
    one = entry(f"ada/{P0}")
    one.extra = struct.pack("<HHBi", 0x5455, 5, 1, 1_700_000_000)
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr(one, GOOD)
        made.writestr(entry(f"bob/{P0}"), GOOD)
    intake = found(taken(path))
    assert intake["ada", 0].handed_in == datetime.fromtimestamp(1_700_000_000, timezone.utc)
    local = intake["bob", 0].handed_in
    assert local is not None
    assert local.replace(tzinfo=None) - datetime(2026, 11, 20, 10) == timedelta()


def test_what_is_unpacked_is_for_this_user_alone(tmp_path: Path) -> None:
    file = found(taken(with_entries(tmp_path / "class/ada.zip").parent))["ada", 0].file
    assert any(stat.S_IMODE(above.stat().st_mode) == 0o700 for above in file.parents)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_archive_never_ends_the_command(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("class")
    made = bytearray(zipped({P0: GOOD[:300], f"inner/{P1}": "x = 1\n"}, path))
    (path / "made.zip").unlink()
    for _ in range(data.draw(st.integers(1, 6))):
        made[data.draw(st.integers(0, len(made) - 1))] = data.draw(st.integers(0, 255))
    intake = taken(folder(path, {f"bob/{P0}": GOOD, "ada.zip": bytes(made)}))
    assert ("bob", 0) in found(intake)
