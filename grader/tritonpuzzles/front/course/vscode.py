"""The .vscode/tasks.json that `init` writes: a check whose findings appear at their lines."""

from __future__ import annotations

import json
import sys
from typing import Any

from tritonpuzzles.front.report.problems import BEGINS, ENDS, PROBLEM

OWNER = "tritonpuzzles"


def tasks(python: str = sys.executable) -> bytes:
    """Return the file: a task that checks the open file, and one that checks every file when it is saved.

    Args:
        python: the interpreter that has tritonpuzzles; an editor may know of another one.
    """
    return json.dumps({"version": "2.0.0", "tasks": [_check(python), _watch(python)]}, indent=2).encode() + b"\n"


def _check(python: str) -> dict[str, Any]:
    """Return the task of Ctrl+Shift+B."""
    return {
        **_task("check this file", python, ["check", "${file}", "--editor"]),
        "group": {"kind": "build", "isDefault": True},
        "presentation": {"reveal": "always", "panel": "dedicated", "clear": True},
        "problemMatcher": _matcher(),
    }


def _watch(python: str) -> dict[str, Any]:
    background = {"activeOnStart": True, "beginsPattern": f"^{BEGINS} ", "endsPattern": f"^{ENDS}: "}
    return {
        **_task("check each file that is saved", python, ["watch", "--editor"]),
        "isBackground": True,
        "presentation": {"reveal": "silent", "panel": "dedicated"},
        "problemMatcher": {**_matcher(), "background": background},
    }


def _task(label: str, python: str, arguments: list[str]) -> dict[str, Any]:
    return {
        "label": f"tritonpuzzles: {label}",
        "type": "process",
        "command": python,
        "args": ["-m", "tritonpuzzles", *arguments],
        "options": {"cwd": "${workspaceFolder}"},
    }


def _matcher() -> dict[str, Any]:
    names = ("file", "line", "column", "severity", "message", "code")
    return {
        "owner": OWNER,
        "source": OWNER,
        "fileLocation": ["autoDetect", "${workspaceFolder}"],
        "pattern": {"regexp": PROBLEM, **{name: group for group, name in enumerate(names, 1)}},
    }
