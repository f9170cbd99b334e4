"""Files, sockets and signals that Landlock keeps from a process; each deed is tried free and confined."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.sandbox.child import confined, run, tried
from tests.sandbox.needs import needs_landlock
from tritonpuzzles.sandbox.landlock import Access, known_to

pytestmark = needs_landlock(1)
DEEDS = {  # on what stands outside of the folder that may be changed
    "overwrite": "open('{out}/file', 'w')",
    "append": "open('{out}/file', 'a')",
    "create": "open('{out}/new', 'x')",
    "delete": "import os; os.unlink('{out}/file')",
    "rename": "import os; os.rename('{out}/file', '{out}/other')",
    "move in": "import os; os.rename('{out}/file', 'mine')",
    "link": "import os; os.symlink('/', '{out}/link')",
    "hard link": "import os; os.link('{out}/file', 'mine')",
    "make a folder": "import os; os.mkdir('{out}/folder')",
    "remove a folder": "import os; os.rmdir('{out}/empty')",
    "make a FIFO": "import os; os.mkfifo('{out}/fifo')",
    "read": "open('{out}/file').read()",
    "list": "import os; os.listdir('{out}')",
    "read by a link": "open('link').read()",
    "write by a program": "import subprocess; subprocess.run('echo x >> {out}/file', shell=True, check=True)",
    "memory of its parent": "import os; open(f'/proc/{{os.getppid()}}/mem', 'r+b').close()",
    "environment of its parent": "import os; open(f'/proc/{{os.getppid()}}/environ').read()",
}
ALLOWED = {
    "its own file": "open('a', 'w').write('x'); import os; os.rename('a', 'b'); os.mkdir('c'); os.rename('b', 'c/d')",
    "truncating it": "open('a', 'w').write('xyz'); import os; os.truncate('a', 1)",
    "the null device": "open('/dev/null', 'w').write('x'); open('/dev/null').read()",
    "a late import": "import sqlite3, xml.dom.minidom, email.mime.text",
    "a program": "import subprocess; subprocess.run(['sh', '-c', 'ls / > /dev/null; true'], check=True)",
    "random numbers": "open('/dev/urandom', 'rb').read(8)",
    "names of its threads": "import threading\n"
    "open(f'/proc/self/task/{threading.get_native_id()}/comm', 'w').write('x')",
    "what it knows of itself": "open('/proc/self/maps').read(); open('/proc/cpuinfo').read()",
}


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Return the folder that may be changed, and another one with a file."""
    mine, out = tmp_path / "mine", tmp_path / "out"
    mine.mkdir()
    (out / "empty").mkdir(parents=True)
    (out / "file").write_text("theirs")
    (mine / "link").symlink_to(out / "file")
    return mine, out


@pytest.mark.parametrize("name", DEEDS)
def test_what_is_not_granted_is_refused(name: str, folders: tuple[Path, Path]) -> None:
    mine, out = folders
    code = tried(DEEDS[name].format(out=out))
    assert run(confined(mine) + code, mine) in ("PermissionError", "OSError", "CalledProcessError")
    assert (out / "file").read_text() == "theirs"
    assert sorted(os.listdir(out)) == ["empty", "file"]
    assert run(code, mine) == "done"  # nothing but the confinement was in the way


@pytest.mark.parametrize("name", ALLOWED)
def test_what_a_worker_needs_is_granted(name: str, tmp_path: Path) -> None:
    assert run(confined(tmp_path) + tried(ALLOWED[name]), tmp_path) == "done"


def test_secrets_stay_secret_in_a_readable_folder(folders: tuple[Path, Path]) -> None:
    mine, out = folders
    for name in ("secret/answer", "open/story"):
        (out / "deep" / name).parent.mkdir(parents=True)
        (out / "deep" / name).write_text(name)
    bounds = confined(mine, readable=(out,), secrets=(out / "deep" / "secret",))
    for path, told in {"file": "done", "deep/open/story": "done", "deep/secret/answer": "PermissionError"}.items():
        assert run(bounds + tried(f"open({str(out / path)!r}).read()"), mine) == told
    assert run(bounds + tried(f"import os; assert os.listdir({str(out / 'deep')!r})"), mine) == "done"


@needs_landlock(4)
def test_tcp_is_refused_where_sockets_are_not(tmp_path: Path) -> None:
    alone = f"from pathlib import Path\nfrom tritonpuzzles.sandbox import landlock\nfolder = {str(tmp_path)!r}\n"
    alone += "landlock.restrict([*landlock.system(), *landlock.around(landlock.python(), [])])\n"
    deed = "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()"
    assert run(alone + tried(deed), tmp_path) == "PermissionError"
    assert run(tried(deed), tmp_path) == "done"


@needs_landlock(6)
@pytest.mark.parametrize("deed", ["import os; os.kill(os.getppid(), 0)", "import os; os.kill(os.getppid(), 18)"])
def test_signals_stay_inside(deed: str, tmp_path: Path) -> None:
    assert run(confined(tmp_path) + tried(deed), tmp_path) == "PermissionError"
    assert run(tried(deed), tmp_path) == "done"


def test_each_version_knows_its_rights() -> None:
    assert known_to(1) == Access((1 << 13) - 1)
    assert [known_to(abi) == Access((1 << bits) - 1) for abi, bits in ((2, 14), (3, 15), (4, 15), (5, 16), (9, 16))]
    assert known_to(4) == Access((1 << 15) - 1)
    assert known_to(9) == Access((1 << 16) - 1)
