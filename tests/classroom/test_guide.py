"""The pages for instructors name every command, option and key, and their examples are understood."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import click
import pytest

from tritonpuzzles.curriculum.pack import PACK_VARIABLE
from tritonpuzzles.curriculum.tables import tomllib
from tritonpuzzles.front.classroom.intake import config
from tritonpuzzles.front.classroom.intake.config import class_settings
from tritonpuzzles.front.commands.classroom import class_command

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/instructors.md").read_text(encoding="utf-8")
PAGES = GUIDE + (ROOT / "docs/platforms.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)


@pytest.mark.parametrize("name", class_command.commands)
def test_every_command_and_option_stands_in_one_of_them(name: str) -> None:
    assert f"class {name} " in PAGES
    options = [one for one in class_command.commands[name].params if isinstance(one, click.Option)]
    missing = [option.opts[0] for option in options if f"{option.opts[0]}" not in PAGES]
    assert missing == []


def test_every_key_stands_in_it() -> None:
    for field in fields(config._Written):
        assert f"| `{field.name}` |" in GUIDE
    for field in (*fields(config._Puzzle), *fields(config.Late)):
        assert f"`{field.name}`" in GUIDE


def test_its_examples_are_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PACK_VARIABLE, "")
    first, full, hidden = BLOCKS
    assert tomllib.loads(full).keys() == {field.name for field in fields(config._Written)}
    (tmp_path / "hidden.toml").write_text(hidden)
    (tmp_path / "roster.csv").write_text("id,name\nada,Ada\n")
    (tmp_path / "solutions").mkdir()
    (tmp_path / "class.toml").write_text(full.replace('pack = "packs/week3"\n', ""))
    (assigned,) = class_settings(None, tmp_path).assigned
    assert (assigned.puzzle.number, assigned.points, assigned.puzzle.cases[-1].hidden) == (3, 2.0, True)
    (tmp_path / "class.toml").write_text(first)
    assert class_settings(None, tmp_path).assigned[0].points == 5.0


def test_every_test_and_file_that_the_page_on_security_names_is_there() -> None:
    text = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    tests = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("tests/*/test_*.py"))
    hostile = {
        path.name for path in [*ROOT.glob("tests/attacks/hostile/*/*.py"), *ROOT.glob("tests/verify/cheats/*.py")]
    }
    for name in re.findall(r"`(test_\w+)`", text):
        assert f"def {name}(" in tests
    assert set(re.findall(r"`(\w+\.py)`", text)) <= hostile
