"""The state file: atomic, safe for two at once, and never fatal when it is corrupt."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.front import samples
from tests.front.conftest import Run, environment
from tritonpuzzles.front.workspace.progress import Best, Progress, better, from_dict
from tritonpuzzles.front.workspace.state import Entries, State
from tritonpuzzles.results.check import Verdict

COUNT_UP = """
import sys
from dataclasses import replace
from pathlib import Path
from tritonpuzzles.front.workspace.progress import Progress
from tritonpuzzles.front.workspace.state import State

def one_more(entries):
    entry = entries.get(3, Progress())
    entries[3] = replace(entry, attempts=entry.attempts + 1)

state = State(Path(sys.argv[1]), lambda sentence: sys.exit(sentence))
for _ in range(int(sys.argv[2])):
    state.update(one_more)
    print(".", end="", flush=True)
"""


def put(entry: Progress, number: int = 3) -> object:
    def change(entries: Entries) -> None:
        entries[number] = entry

    return change


def counter(folder: Path, times: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", COUNT_UP, str(folder), str(times)]
    return subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    state = State(tmp_path / "state", pytest.fail)
    assert state.read() == {}
    assert not (tmp_path / "state").exists()
    entry = Progress(2, "2026-11-05T12:00:00+00:00", "abc", Best(2706.5, "GB/s", "NVIDIA H200"), 1, "pass", ("a",))
    state.update(put(entry))  # type: ignore[arg-type]
    assert state.read() == {3: entry}
    assert json.loads((tmp_path / "state/state.json").read_text())["version"] == 1


def test_what_a_newer_version_wrote_is_kept() -> None:
    data = {"attempts": 1, "new_in_2": [1, 2]}
    assert replace(from_dict(data), hints=1).to_dict()["new_in_2"] == [1, 2]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["puzzles", "3"]), inner),
)
entries_like = st.dictionaries(
    st.sampled_from(["attempts", "solved_at", "best", "hints", "codes", "verdict", "rate"]), json_values
)
files = (
    st.binary()
    | json_values.map(json.dumps).map(str.encode)
    | entries_like.map(lambda entry: json.dumps({"puzzles": {"3": entry}}).encode())
    | st.sampled_from([b"[" * 100_000, b'{"puzzles": {"3": {"attempts": ' + b"9" * 5000 + b"}}}", b"\xff\xfe{}"])
)


@settings(max_examples=60, deadline=None)
@given(files)
def test_any_content_is_read_or_set_aside(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, said = Path(name), []
        (folder / "state.json").write_bytes(content)
        state = State(folder, said.append)
        before = state.read()
        aside = list(folder.glob("state.corrupt.*"))
        assert len(aside) == len(said) == (0 if before or not aside else 1)
        assert [path.read_bytes() for path in aside] in ([], [content])
        state.update(put(Progress(attempts=7)))  # type: ignore[arg-type]
        assert state.read()[3].attempts == 7


@pytest.mark.parametrize("kind", ["folder", "huge", "truncated"])
def test_odd_files_are_set_aside(kind: str, tmp_path: Path, run: Run, workspace: Path) -> None:
    path = workspace / ".tritonpuzzles" / "state.json"
    path.parent.mkdir()
    if kind == "folder":
        path.mkdir()
    else:
        path.write_bytes(b" " * (5 << 20) if kind == "huge" else b'{"version": 1, "puzz')
    (workspace / "puzzles/p01_softmax.py").write_text("# verdict: pass\n")
    done = run("check", "1")
    assert done.returncode == 0
    assert "set aside" in done.stderr or "It is now .tritonpuzzles/state.corrupt" in done.stderr
    again = run("list")
    assert again.stderr == ""
    assert "solved" in again.stdout


def test_two_at_once_lose_nothing(tmp_path: Path) -> None:
    processes = [counter(tmp_path, 40) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    for process in processes:
        assert process.stdout is not None
        process.stdout.close()
    assert State(tmp_path, pytest.fail).read()[3].attempts == 120


def test_a_kill_at_any_moment_leaves_a_whole_file(tmp_path: Path) -> None:
    counted = 0
    for delay in (0.0, 0.004, 0.009, 0.013, 0.021):
        process = counter(tmp_path, 100_000)
        assert process.stdout is not None
        process.stdout.read(1)  # it has begun
        time.sleep(delay)
        os.kill(process.pid, signal.SIGKILL)
        written = 1 + len(process.stdout.read())
        process.stdout.close()
        process.wait()
        found = State(tmp_path, pytest.fail).read()[3].attempts
        assert found - counted in (written, written + 1)
        counted = found
    assert {path.name for path in tmp_path.iterdir()} <= {"state.json", ".state.json.new", "lock"}


def test_progress_follows_the_results() -> None:
    entry = Progress().after(samples.unsolved(), "a")
    assert (entry.attempts, entry.word, entry.verdict) == (0, "open", "unsolved")
    entry = entry.after(samples.not_rescaled(), "b")
    assert (entry.attempts, entry.word, entry.codes) == (1, "tried", ("sum-not-rescaled",))
    entry = entry.after(samples.timed(2000.0), "c")
    assert (entry.attempts, entry.word, entry.codes, entry.solved_hash) == (2, "solved", (), "c")
    assert entry.after(samples.timed(1000.0), "d").best == Best(2000.0, "GB/s", "NVIDIA H200")
    assert entry.after(samples.not_rescaled(), "e").solved
    assert entry.after(samples.result(Verdict.INFRA_ERROR), "f") == entry
    assert entry.after(samples.result(Verdict.SKIP), "f") == entry


def test_a_suspicious_rate_is_no_record() -> None:
    best = Best(2000.0, "GB/s", "H200")
    assert better(best, samples.timed(9e9, ("suspicious",)).benchmark) == best
    assert better(best, samples.timed(float("nan")).benchmark) == best
    assert better(None, samples.timed(float("inf")).benchmark) is None


def test_what_is_seen_is_what_the_report_shows_first() -> None:
    result = samples.out_of_bounds()
    assert result.errors[0].code == "too-many-loads"
    seen = Progress().after(result, None).seen
    assert seen is not None
    assert seen.code == "out-of-bounds-store"
    assert Progress().after(samples.unsolved(), None).seen is None
    assert Progress().after(samples.passing(), None).seen is None
