"""The house has parts and rooms in the order in which data flows; nothing imports against it, the front stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tritonpuzzles
from tritonpuzzles.curriculum.registry import load_curriculum

PACKAGE = Path(tritonpuzzles.__file__).parent
ALLOWED = {
    "decoding": set(),
    "supported": set(),
    "sandbox": set(),
    "source": set(),
    "results": {"decoding", "source", "sandbox"},
    "hardware": set(),
    "speed": {"results", "hardware"},
    "wire": {"decoding", "results"},
    "insides": set(),
    "compiler": {"decoding", "results", "source", "wire", "hardware", "insides"},
    "recorder": {"decoding", "results", "wire", "compiler", "sandbox", "wall", "insides"},
    "curriculum": {"decoding"},
    "wall": set(),
    "memory": set(),
    "interrupts": set(),
    "engine": {"results", "source", "wire", "compiler", "hardware", "supported", "sandbox", "wall", "insides"},
    "forkserver": {"recorder", "engine", "sandbox", "wall", "wire", "memory", "insides", "supported"},
    "judge": {
        *("decoding", "curriculum", "results", "source", "wire", "hardware", "speed"),
        *("sandbox", "memory", "interrupts"),
    },
    "verifier": {
        *("judge", "curriculum", "recorder", "engine", "compiler", "wire", "results", "decoding"),
        *("sandbox", "insides", "hardware"),
    },
    "judgeserver": {"judge", "forkserver", "sandbox", "memory"},
    "front": {
        "verifier",
        "judge",
        "curriculum",
        "decoding",
        "results",
        "hardware",
        "supported",
        "sandbox",
        "memory",
        "interrupts",
    },
}
JUDGE = (  # a room imports from those before it
    {"options", "environment", "wording"},
    {"drawn", "evidence"},
    {"tolerances"},
    {"resolve"},
    {"truth"},
    {"inputs"},
    {"workers"},
    {"verdict"},
    {"predicted"},
    {"diagnosis"},
    {"checker", "trace", "inspect", "authors"},
    {"check", "bench", "recheck", "many"},
)
HEAVY = {"torch", "triton"}


def modules() -> dict[str, Path]:
    """Return every module of the package by its name; a package by its own."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imports(path: Path) -> set[str]:
    """Return every module that a file imports, wherever the statement stands, `TYPE_CHECKING` included."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: a relative import"
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (inner & MODULES.keys()) or {str(node.module)}
    return found


def ours(path: Path) -> set[tuple[str, ...]]:
    """Return what a file imports of the package, as parts of names: ("judge", "evidence", "cases")."""
    return {tuple(name.split(".")[1:]) for name in imports(path) if name.split(".")[0] == "tritonpuzzles"}


def rooms(part: str) -> dict[str, set[str]]:
    """Return the rooms of a part, folders and single files, each with the others that it imports."""
    found: dict[str, set[str]] = {}
    for path in (PACKAGE / part).rglob("*.py"):
        room = path.relative_to(PACKAGE / part).with_suffix("").parts[0]
        others = {name[1] for name in ours(path) if len(name) > 1 and name[0] == part} - {room}
        found.setdefault(room, set()).update(others)
    return found


@pytest.mark.parametrize("part", sorted(ALLOWED))
def test_parts_import_in_one_direction(part: str) -> None:
    paths = list((PACKAGE / part).rglob("*.py")) or [PACKAGE / f"{part}.py"]
    for path in paths:
        assert {name[0] for name in ours(path) if name} - {part} <= ALLOWED[part], path


def test_no_file_is_longer_than_300_lines() -> None:
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in PACKAGE.rglob("*.py")}
    assert {path: size for path, size in sizes.items() if size > 300} == {}


def test_every_part_is_known() -> None:
    parts = {name.split(".")[1] for name in MODULES if "." in name} - {"__main__"}
    assert parts == set(ALLOWED)


@pytest.mark.parametrize(
    "part",
    [
        "decoding",
        "source",
        "results",
        "wire",
        "sandbox",
        "compiler",
        "recorder",
        "curriculum",
        "judge",
        "engine",
        "verifier",
        "front",
    ],
)
def test_rooms_form_no_circles(part: str) -> None:
    left = rooms(part)
    while left:
        free = {room for room, others in left.items() if not others & left.keys()}
        assert free, f"{part}: these import each other: {left}"
        left = {room: others for room, others in left.items() if room not in free}


def test_the_judges_rooms_follow_the_data() -> None:
    before: set[str] = set()
    found = rooms("judge")
    assert set(found) - {"__init__"} == set().union(*JUDGE)
    for level in JUDGE:
        for room in level:
            assert found[room] <= before, room
        before |= level


def test_blocks_know_neither_results_nor_commands() -> None:
    """`report` makes blocks, `page` shows them; what asks for that stands above both."""
    found = rooms("front")
    assert found["page"] <= {"text", "workspace"}
    assert not found["report"] & {"html", "jupyter", "watch", "commands", "cli", "check", "bench"}
    known = {name for path in (PACKAGE / "front" / "page").rglob("*.py") for name in ours(path) if name[0] != "front"}
    assert known <= {("results", "states")}


@pytest.mark.parametrize("part", ["decoding", "sandbox", "source"])
def test_a_leaf_needs_the_standard_library_alone(part: str) -> None:
    for path in (PACKAGE / part).rglob("*.py"):
        assert {name.split(".")[0] for name in imports(path)} <= {*sys.stdlib_module_names, "tritonpuzzles"}, path


@pytest.mark.parametrize("part", ["front"])
def test_front_never_imports_torch_or_triton(part: str) -> None:
    for path in (PACKAGE / part).rglob("*.py"):
        assert not {name.split(".")[0] for name in imports(path)} & HEAVY, path


def test_the_insides_of_triton_are_named_in_one_place() -> None:
    for path in PACKAGE.rglob("*.py"):
        found = {name for name in imports(path) if name.split(".")[0] == "triton"}
        assert found <= {"triton", "triton.language"}, path
        text = path.read_text()
        private = ("InterpreterBuilder", "InterpreterOptions", "TensorHandle")
        assert path.stem == "insides" or "interpreter" in path.parts or not any(name in text for name in private), path


def test_the_compiler_leaves_the_reading_of_a_text_to_source() -> None:
    for path in (PACKAGE / "compiler").rglob("*.py"):
        assert "ast.parse(" not in path.read_text(), path


def test_judge_unpickles_nothing() -> None:
    for path in (PACKAGE / "judge").rglob("*.py"):
        names = {name.split(".")[0] for name in imports(path)}
        assert not names & {"pickle", "marshal", "shelve", "dill", "joblib"}, path
        assert "torch.load(" not in path.read_text(), path


@pytest.mark.parametrize(
    "module",
    ["tritonpuzzles", "tritonpuzzles.front.cli", "tritonpuzzles.curriculum.registry", "tritonpuzzles.judge.check"],
)
def test_import_is_light(module: str) -> None:
    code = f"import sys, {module}; print(sorted({{'torch', 'triton'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_versions_of_triton_stand_in_one_place() -> None:
    from tritonpuzzles.supported import TRIED, TRITON_REQUIREMENT

    root = Path(__file__).parents[1]
    assert f"\"{TRITON_REQUIREMENT}; sys_platform == 'linux'\"" in (root / "pyproject.toml").read_text()
    assert f"tried with Triton {TRIED}" in (root / "README.md").read_text()


def test_verifying_a_function_knows_no_puzzle() -> None:
    """`verify` and a course use the same judge, which knows tasks; a puzzle is a task with a story."""
    stories = {"Puzzle", "load_curriculum", "load_puzzle"} | {puzzle.slug for puzzle in load_curriculum().puzzles}
    rooms_used = ["verifier", "judge/workers", "judge/verdict", "judge/diagnosis", "judge/evidence", "judge/wording"]
    files = [path for room in rooms_used for path in (PACKAGE / room).rglob("*.py")]
    files += [PACKAGE / "judge" / f"{name}.py" for name in ("checker", "drawn", "resolve", "truth")]
    for path in files:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
        texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        assert not stories & (names | texts), path
