"""The MCP server as a process, asked by the client of the official SDK."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.verify.test_command import ENVIRONMENT, KERNEL, ROOT, SCHEMA

pytestmark = pytest.mark.slow

PLAIN = {"reference": "kernel.py:reference", "cases": ["x=700:f32 factor=2.0"], "vary": "none", "seed": 1}
UNMASKED = KERNEL.replace("x_ptr + offsets, mask=offsets < n_elements", "x_ptr + offsets")
WRITING = "open({path!r}, 'w')\n\ndef reference(x, factor):\n    return x * factor\n"


def with_server(folder: Path, work: Callable[[ClientSession], Awaitable[None]]) -> None:
    """Start the server in a folder, and let somebody work with it."""
    asked = StdioServerParameters(
        command=sys.executable, args=["-m", "tritonpuzzles", "mcp"], cwd=folder, env=ENVIRONMENT
    )

    async def run() -> None:
        async with stdio_client(asked) as streams, ClientSession(*streams) as session:
            await session.initialize()
            await work(session)

    anyio.run(run)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_server_checks_explains_and_writes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "kernel.py").write_text(UNMASKED)
    (tmp_path / "outside.py").write_text(KERNEL)
    before = snapshot(tmp_path)

    async def work(session: ClientSession) -> None:
        async def report(tool: str, **asked: Any) -> dict[str, Any]:
            told = await session.call_tool(tool, asked)
            assert not told.is_error, told.content
            assert told.structured_content is not None
            jsonschema.validate(told.structured_content, SCHEMA)
            result: dict[str, Any] = told.structured_content["results"][0]
            return result

        async def refused(tool: str, **asked: Any) -> str:
            told = await session.call_tool(tool, asked)
            assert told.is_error
            return str(told.content)

        tools = (await session.list_tools()).tools
        assert {tool.name for tool in tools} == {"check", "verify", "hint", "words"}
        assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)

        found = await report("verify", function="kernel.py:scale", **PLAIN)
        assert (found["verdict"], found["findings"][0]["line"]) == ("fail", 9)
        assert found["findings"][0]["next_step"] is None
        assert "no mask" not in json.dumps(found)
        told = await report("verify", function="kernel.py:scale", fixes=True, **PLAIN)
        assert "mask=" in told["findings"][0]["next_step"]
        texts = {"new.py": KERNEL, "writing.py": WRITING.format(path=str(folder / "leaked"))}
        passing = await report("verify", function="new.py:scale", sources=texts, **PLAIN)
        assert (passing["verdict"], passing["file"]) == ("pass", "new.py")

        asked = {**PLAIN, "reference": "writing.py:reference"}
        assert "Permission denied" in await refused("verify", function="new.py:scale", sources=texts, **asked)
        assert "outside the folder" in await refused("verify", function="../outside.py:scale", **PLAIN)
        assert "not a file's name" in await refused("verify", function="a.py:f", sources={"../a.py": ""}, **PLAIN)
        assert "Did you mean 'scale'?" in await refused("verify", function="kernel.py:scal", **PLAIN)
        assert "There is no tolerance" in await refused(
            "verify", function="kernel.py:scale", tolerance="--html=a", **PLAIN
        )

        solution = (ROOT / "solutions" / "p00_vector_add.py").read_text()
        assert (await report("check", puzzle="0", source=solution))["verdict"] == "pass"
        assert "no workspace" in await refused("check", puzzle="0")
        first, last = [(await session.call_tool("hint", {"puzzle": "3", "number": n})).content for n in (1, 3)]
        assert first != last
        assert "lane" in str((await session.call_tool("words", {"words": "lanes"})).content)

    with_server(folder, work)
    assert snapshot(tmp_path) == before


def test_without_the_package_a_sentence_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    from tests.program import run_here

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    done = run_here(("mcp",), tmp_path, ENVIRONMENT)
    assert done.returncode == 3
    assert "pip install 'tritonpuzzles[mcp]'" in done.stderr
