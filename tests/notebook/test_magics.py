"""The magics' words and errors, called as IPython calls them, with the fake judge where one is needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.notebook.conftest import ROOT, run
from tritonpuzzles import load_ipython_extension
from tritonpuzzles.front.jupyter import checking as timing
from tritonpuzzles.front.jupyter.display import as_magics
from tritonpuzzles.front.story import read_source
from tritonpuzzles.front.workspace.folder import Workspace
from tritonpuzzles.front.workspace.progress import Progress
from tritonpuzzles.front.workspace.state import State
from tritonpuzzles.judge import check as judging
from tritonpuzzles.judge import trace as tracing
from tritonpuzzles.results.check import Finding, PuzzleResult, Verdict
from tritonpuzzles.results.submission import Submission

SOLUTION = ROOT / "solutions" / "p03_online_softmax.py"


class Shell:
    """What IPython's shell would be told."""

    def __init__(self) -> None:
        self.magics: dict[tuple[str, str], Callable[..., Any]] = {}
        self.next_input = ""

    def register_magic_function(self, func: Callable[..., Any], magic_kind: str, magic_name: str) -> None:
        self.magics[magic_kind, magic_name] = func

    def set_next_input(self, s: str, replace: bool) -> None:
        assert replace
        self.next_input = s

    def set_custom_exc(self, exc_tuple: tuple[type[BaseException], ...], handler: Callable[..., Any]) -> None:
        pass

    def line(self, name: str, line: str) -> Any:
        return self.magics["line", name](line)


@pytest.fixture
def shell(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A shell with the magics, in the workspace's folder of notebooks."""
    monkeypatch.chdir(workspace.notebooks)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    made = Shell()
    load_ipython_extension(made)
    return made


def test_every_magic_is_there_and_says_what_it_does(shell: Shell) -> None:
    lines = {"puzzle", "check", "hint", "solution", "words", "trace", "bench", "workspace", "tritonpuzzles"}
    lines |= {"list", "show"}
    assert set(shell.magics) == {("cell", "puzzle"), *(("line", name) for name in lines)}
    assert all(magic.__doc__ and f"%{name}" in magic.__doc__ for (_, name), magic in shell.magics.items())


@pytest.mark.parametrize(
    ("name", "line", "words"),
    [
        ("check", "onlin_softmax", "Did you mean online_softmax?"),
        ("check", "3 --device tpu", "'tpu' is not one of"),
        ("check", "3 --sed 1", "No such option"),
        ("check", "'3", "No closing quotation"),
        ("check", "3 --solution --file x.py", "exclude each other"),
        ("check", "3 --file none.ipynb", "cannot be read"),
        ("check", "3 --file none.py", "There is no none.py."),
        ("trace", "3 --file none.py", "There is no none.py."),
        ("hint", "", "Missing argument"),
        ("hint", "99", "There is no puzzle '99'"),
        ("solution", "3", "not solved yet"),
        ("trace", "1-2", "takes one puzzle"),
        ("bench", "1 --sizes many", "is not up to"),
        ("puzzle", "", "takes one puzzle"),
        ("tritonpuzzles", "lisst", "No such command"),
    ],
)
def test_what_stops_a_magic_is_a_sentence(
    name: str, line: str, words: str, shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shell.line(name, line) is None
    out, err = capsys.readouterr()
    assert words in out
    assert "Traceback" not in out
    assert err == "", "a notebook shows stderr on red"


@pytest.mark.parametrize("line", ["", "1-3", "1 2", "3 --solution", "3 --file x.py", "3 --json", "99"])
def test_a_cell_goes_to_one_puzzle(line: str, shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in Path("../puzzles").iterdir()}
    assert shell.magics["cell", "puzzle"](line, "x = 1\n") is None
    assert capsys.readouterr().out.startswith("tritonpuzzles: ")
    assert {path: path.read_bytes() for path in Path("../puzzles").iterdir()} == before


def test_outside_a_workspace_it_says_what_to_do(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shell.magics["cell", "puzzle"]("3", "x = 1\n")
    assert "Next: %workspace" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["check", "trace"])
def test_a_missing_file_is_said_before_the_grader_begins(
    name: str, shell: Shell, workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (workspace.puzzles / "p03_online_softmax.py").unlink()
    monkeypatch.setattr(judging, "check", lambda *_: pytest.fail("the grader begins"))
    monkeypatch.setattr(tracing, "trace", lambda *_, **__: pytest.fail("the grader begins"))
    assert shell.line(name, "3") is None
    out = capsys.readouterr().out
    assert "There is no ../puzzles/p03_online_softmax.py." in out
    assert "Next: %tritonpuzzles reset 3 puts the stub there" in out


def test_a_workspace_is_made_once_and_found_again(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    shell.line("workspace", "")
    assert Path.cwd() == empty / "triton-puzzles"
    assert (empty / "triton-puzzles" / "puzzles" / "p03_online_softmax.py").is_file()
    mine = empty / "triton-puzzles" / "puzzles" / "p03_online_softmax.py"
    mine.write_text("mine = 1\n")
    shell.line("workspace", "")
    assert Path.cwd() == empty / "triton-puzzles"
    monkeypatch.chdir(empty)
    shell.line("workspace", "")
    assert Path.cwd() == empty / "triton-puzzles"
    assert mine.read_text() == "mine = 1\n"
    assert sorted(path.name for path in empty.iterdir()) == ["triton-puzzles"]
    shell.line("workspace", "other")
    assert Path.cwd() == empty / "triton-puzzles" / "other"
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"Made a workspace, and went there: {empty / 'triton-puzzles'}."
    assert said[1:3] == [
        f"The workspace is {empty / 'triton-puzzles'}.",
        f"Went to the workspace {empty / 'triton-puzzles'}.",
    ]


def test_init_in_a_notebook_goes_where_it_made_the_workspace(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shell.line("tritonpuzzles", "init fresh")
    assert Path.cwd() == tmp_path / "fresh"
    assert f"This notebook now works in {tmp_path / 'fresh'}." in capsys.readouterr().out


def test_hints_are_counted_with_those_of_the_terminal(shell: Shell, workspace: Workspace) -> None:
    assert "Hint 1 of 3" in run("hint", "3", cwd=workspace.root).stdout
    second = shell.line("hint", "3")
    assert second._repr_markdown_().startswith("**Hint 2 of 3**")
    assert "$" in second._repr_markdown_()
    assert second._repr_markdown_().endswith("**Next:** %check 3, or for more, %hint 3 (3 of 3)")
    assert second.plain.startswith("Hint 2 of 3  p03 online_softmax\n")
    assert "Hint 3 of 3" in run("hint", "3", cwd=workspace.root).stdout


def test_words_are_explained_as_markdown_and_as_text(shell: Shell) -> None:
    entry = shell.line("words", "lanes")
    assert entry._repr_markdown_().startswith("**lane**: the place of one element in a tile.")
    assert entry.plain.startswith("lane: the place of one element")
    assert "**register**" in shell.line("words", "")._repr_markdown_()


def test_a_hint_answers_the_last_finding_before_the_next_hint(shell: Shell, workspace: Workspace) -> None:
    finding = Finding("sum-not-rescaled", "It is not rescaled.")
    result = PuzzleResult(3, "online_softmax", Submission.of(Path("p03.py")), Verdict.FAIL, "cpu", 1, (finding,))
    State(workspace.state_folder, print).update(lambda entries: entries.update({3: Progress().after(result, None)}))
    _, _, answer, hint, *_ = shell.line("hint", "3")._repr_markdown_().split("\n\n")
    assert answer.startswith("Take the row (0 | ln 4)")
    assert hint == "**Hint 1 of 3**"


def test_a_hint_begins_with_what_was_seen_as_text(shell: Shell, workspace: Workspace) -> None:
    finding = Finding("kernel-error", "It stops: <b>$x$</b> *x*.", line=3, next_step="Look at x_ptr.")
    result = PuzzleResult(3, "online_softmax", Submission.of(Path("p03.py")), Verdict.FAIL, "cpu", 1, (finding,))
    State(workspace.state_folder, print).update(lambda entries: entries.update({3: Progress().after(result, None)}))
    seen, message, step, *_ = shell.line("hint", "3")._repr_markdown_().split("\n\n")
    assert seen == "**What your last check found (line 3)**"
    assert message == r"It stops\: \<b\>\$x\$\<\/b\> \*x\*\."
    assert step == r"Next: Look at x\_ptr\."


def test_the_solution_by_force(shell: Shell) -> None:
    found = shell.line("solution", "3 --force")
    code = read_source(SOLUTION).code
    assert found.plain == code
    assert found._repr_markdown_() == f"```python\n{code}```"


def test_the_file_comes_into_the_cell(shell: Shell, workspace: Workspace) -> None:
    (workspace.puzzles / "p03_online_softmax.py").write_bytes(SOLUTION.read_bytes())
    assert shell.line("puzzle", "3") is None
    assert shell.next_input == f"%%puzzle 3\n{read_source(SOLUTION).code.rstrip()}"


def test_help_is_help(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    assert shell.line("check", "--help") is None
    assert "Usage: %check" in capsys.readouterr().out


def test_any_command_can_be_run(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.line("tritonpuzzles", "list")
    assert "Online softmax" in capsys.readouterr().out


def test_bench_shows_its_plot(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []
    pictures: list[bytes] = []

    def run_bench(arguments: list[str]) -> None:
        ran.append(arguments)
        if len(ran) == 1:  # a second run is stopped before it draws
            Path(arguments[-1]).write_bytes(b"the plot")

    monkeypatch.setattr(timing, "run_command", run_bench)
    monkeypatch.setattr(timing, "show_png", pictures.append)
    shell.line("bench", "3 --dtype float16")
    assert ran[0][:-1] == ["bench", "3", "--dtype", "float16", "--plot"]
    assert not Path(ran[0][-1]).exists()
    shell.line("bench", "3")
    shell.line("bench", "3 --plot mine.png")
    assert ran[2] == ["bench", "3", "--plot", "mine.png"]
    assert pictures == [b"the plot"]


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("tritonpuzzles hint 3 (1 of 3)", "%hint 3 (1 of 3)"),
        ("tritonpuzzles list, then tritonpuzzles check 3", "%tritonpuzzles list, then %check 3"),
        ("pip install 'tritonpuzzles[plot]'", "pip install 'tritonpuzzles[plot]'"),
        ("tritonpuzzles is installed", "tritonpuzzles is installed"),
    ],
)
def test_steps_in_the_words_of_a_notebook(step: str, said: str) -> None:
    assert as_magics(step) == said
