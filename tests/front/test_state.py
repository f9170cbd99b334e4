"""The state file: atomic, safe for two at once, and never fatal when it is corrupt."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.front import samples
from tests.front.conftest import CURRICULUM, ROOT, Run, environment
from tritonpuzzles.front.workspace.progress import Best, BestSpeed, Progress, Seen, better
from tritonpuzzles.front.workspace.state import Contents, Entries, State, dump, parse
from tritonpuzzles.results.check import Verdict

COUNT_UP = """
import sys
from dataclasses import replace
from pathlib import Path
from tritonpuzzles.front.workspace.progress import Progress
from tritonpuzzles.front.workspace.state import State

def one_more(entries):
    entry = entries.get("online_softmax", Progress())
    entries["online_softmax"] = replace(entry, attempts=entry.attempts + 1)

state = State(Path(sys.argv[1]), lambda sentence: sys.exit(sentence))
for _ in range(int(sys.argv[2])):
    state.update(one_more)
    print(".", end="", flush=True)
"""


def put(entry: Progress, slug: str = "online_softmax") -> object:
    def change(entries: Entries) -> None:
        entries[slug] = entry

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
    assert state.read() == {"online_softmax": entry}
    assert json.loads((tmp_path / "state/state.json").read_text())["version"] == 2


def test_what_a_newer_version_wrote_is_kept(tmp_path: Path) -> None:
    best = {"rate": 1.0, "unit": "GB/s", "device": "H200", "clock": 1980}
    mine = {"attempts": 1, "best": best, "league": "gold"}
    newer = {"version": 9, "theme": "dark", "puzzles": {"softmax": mine, "of_tomorrow": {"attempts": 4, "eta": [1]}}}
    (tmp_path / "state.json").write_text(json.dumps(newer))
    State(tmp_path, pytest.fail).update(put(Progress(hints=2)))  # type: ignore[arg-type]
    written = json.loads((tmp_path / "state.json").read_text())
    assert (written["version"], written["theme"]) == (9, "dark")
    puzzles = written["puzzles"]
    assert puzzles["softmax"].items() >= mine.items()
    assert puzzles["of_tomorrow"].items() >= {"attempts": 4, "eta": [1]}.items()
    assert puzzles["online_softmax"]["hints"] == 2


def test_what_only_a_newer_version_can_read_is_left_alone(tmp_path: Path) -> None:
    newer, said = json.dumps({"version": 3, "puzzles": {"softmax": {"attempts": "many"}}}), []
    (tmp_path / "state.json").write_text(newer)
    state = State(tmp_path, said.append)
    assert state.read() == {}
    state.update(put(Progress(hints=2)))  # type: ignore[arg-type]
    assert (tmp_path / "state.json").read_text() == newer
    assert [sentence.split(":")[0] for sentence in said] == ["Progress cannot be read", "Progress is not saved"]
    assert all("newer version of tritonpuzzles" in sentence for sentence in said)


def test_progress_by_number_gets_names(run: Run, workspace: Path) -> None:
    """As version 1 of the file had it; a number that no puzzle has stays what it is."""
    path = workspace / ".tritonpuzzles" / "state.json"
    path.parent.mkdir()
    path.write_text('{"version": 1, "puzzles": {"1": {"attempts": 3}, "42": {"attempts": 5}}}')
    assert "tried" in run("list").stdout
    run("hint", "1")
    written = json.loads(path.read_text())
    assert written["version"] == 2
    assert {slug: entry["attempts"] for slug, entry in written["puzzles"].items()} == {"softmax": 3, "42": 5}


def test_progress_survives_renumbering(run: Run, workspace: Path, tmp_path: Path) -> None:
    (workspace / "puzzles/p01_softmax.py").write_text("# verdict: pass\n")
    run("check", "1")
    pack = tmp_path / "pack"
    shutil.copytree(CURRICULUM, pack)
    for old, new in (("p02_row_sum", "p01_row_sum"), ("p01_softmax", "p02_softmax")):
        for path in [*pack.glob(f"*/{old}.*")]:
            path.rename(path.with_stem(new))
        for path in (pack / "curriculum.toml", pack / f"records/{new}.toml"):
            number = f"number = {new[2]}"
            path.write_text(re.sub(r"^number = \d", number, path.read_text().replace(old, new), flags=re.MULTILINE))
    rows = json.loads(run("list", "--json", TRITONPUZZLES_PACK=str(pack)).stdout)["puzzles"]
    assert {row["puzzle"]: (row["slug"], row["state"]) for row in rows if row["puzzle"]} == {
        1: ("row_sum", "open"),
        2: ("softmax", "solved"),
    }


texts = st.text(max_size=8)
rates = st.floats(allow_nan=False, allow_infinity=False)
counts = st.integers(0, 10**6)
entries_of_any_kind = st.builds(
    Progress,
    attempts=counts,
    solved_at=st.none() | texts,
    solved_hash=st.none() | texts,
    best=st.none() | st.builds(Best, rates, texts, texts, st.none() | texts),
    hints=counts,
    verdict=st.none() | texts,
    codes=st.lists(texts, max_size=3).map(tuple),
    seen=st.none() | st.builds(Seen, texts, texts, st.none() | counts, st.none() | texts),
    stars=counts,
    speeds=st.lists(st.builds(BestSpeed, texts, texts, st.lists(counts).map(tuple), rates), max_size=2).map(tuple),
    others=st.dictionaries(st.sampled_from(["league", "clock"]), st.integers() | texts),
)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.from_regex("[a-z][a-z_]{0,5}", fullmatch=True), entries_of_any_kind, max_size=4))
def test_every_entry_is_read_as_it_was_written(entries: Entries) -> None:
    once = parse(dump(Contents(), entries))
    assert once.entries == entries
    assert parse(dump(once, entries)).entries == entries


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
        assert state.read()["online_softmax"].attempts == 7


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
    assert State(tmp_path, pytest.fail).read()["online_softmax"].attempts == 120


@pytest.mark.slow
def test_a_thousand_kills_at_random_moments_lose_nothing(tmp_path: Path) -> None:
    seed = random.randrange(2**31)
    command = [sys.executable, "-m", "tests.front.kill_writers", str(tmp_path), "1000", str(seed)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), (seed, done.stdout, done.stderr)
    assert int(done.stdout) >= 500  # half of them were killed after their first update
    assert State(tmp_path, pytest.fail).read()["online_softmax"].attempts == int(done.stdout)


def test_progress_follows_the_results() -> None:
    entry = Progress().after(samples.unsolved(), "a")
    assert (entry.attempts, entry.word, entry.verdict) == (0, "open", "unsolved")
    entry = entry.after(samples.not_rescaled(), "b")
    assert (entry.attempts, entry.word, entry.codes) == (1, "tried", ("sum-not-rescaled",))
    entry = entry.after(samples.timed(2000.0), "c")
    assert (entry.attempts, entry.word, entry.codes, entry.solved_hash) == (2, "solved", (), "c")
    assert entry.best is not None
    assert replace(entry.best, at=None) == Best(2000.0, "GB/s", "NVIDIA H200")
    assert entry.after(samples.timed(1000.0), "d").best == entry.best
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
