"""What the judge says of what the interpreter, or an engine, has seen."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tritonpuzzles.engine.interpreter import Tracer
from tritonpuzzles.judge.wording.calls import worded
from tritonpuzzles.judge.wording.launches import Known
from tritonpuzzles.results.check import Finding
from tritonpuzzles.source.functions import Function
from tritonpuzzles.wire.facts import Fact, LaunchFact
from tritonpuzzles.wire.reading import facts_told, read_facts


def said(facts: Sequence[Fact], call: str = "softmax(x)") -> list[Finding]:
    """Return facts as findings, by way of the wire; every file that they name is read."""
    read = read_facts(json.loads(json.dumps(facts_told(facts))))
    assert read == list(facts)
    return worded(read, Known("p.py", call, _Texts()))


def findings_of(tracer: Tracer) -> list[Finding]:
    """Return what is wrong in the launches of a tracer."""
    return said(tracer.facts)


def text_of(kernel: object) -> Function:
    """Return the text of a kernel as the judge has it."""
    function: object = getattr(kernel, "fn", None)
    file, first = function.__code__.co_filename, kernel.starting_line_number  # type: ignore[attr-defined]
    return Known("", "", _Texts()).launch(LaunchFact(function.__name__, file, first, ("", 0), (1, 1, 1))).function  # type: ignore[attr-defined]


class _Texts(dict[str, str]):
    def get(self, path: str, otherwise: str = "") -> str:  # type: ignore[override]
        return Path(path).read_text() if Path(path).is_file() else otherwise
