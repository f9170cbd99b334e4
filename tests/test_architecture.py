"""The house has four parts and one direction; nothing imports against it, and the front stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tritonpuzzles

PACKAGE = Path(tritonpuzzles.__file__).parent
PARTS = {"front", "judge", "curriculum", "engine"}
ALLOWED = {"front": {"judge", "curriculum"}, "judge": {"curriculum"}, "curriculum": set(), "engine": set()}
HEAVY = {"torch", "triton"}


def imports(path: Path) -> set[str]:
    """Return every module that a file imports, wherever the statement stands, `TYPE_CHECKING` included."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = path.relative_to(PACKAGE.parent).parts[: -node.level] if node.level else ()
            module = ".".join([*package, *([node.module] if node.module else [])])
            found |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return found


@pytest.mark.parametrize("part", sorted(PARTS))
def test_parts_import_in_one_direction(part: str) -> None:
    for path in (PACKAGE / part).rglob("*.py"):
        others = {name.split(".")[1] for name in imports(path) if name.startswith("tritonpuzzles.")} & PARTS
        assert others - {part} <= ALLOWED[part], path


def test_shared_ground_imports_no_part() -> None:
    shared = [path for path in PACKAGE.glob("*.py") if path.stem not in ("__init__", "__main__")]
    assert shared
    for path in shared:
        assert not {name.split(".")[1] for name in imports(path) if name.startswith("tritonpuzzles.")} & PARTS, path


@pytest.mark.parametrize("part", ["front"])
def test_front_never_imports_torch_or_triton(part: str) -> None:
    for path in (PACKAGE / part).rglob("*.py"):
        assert not {name.split(".")[0] for name in imports(path)} & HEAVY, path


def test_private_interpreter_is_touched_in_one_folder() -> None:
    for path in PACKAGE.rglob("*.py"):
        if any(name.startswith("triton.runtime.interpreter") for name in imports(path)):
            assert "interpreter" in path.parts, path


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
