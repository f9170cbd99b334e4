"""Make a call of what a recorder wrote; its kernels are built once for all cases of a submission."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tritonpuzzles.compiler.launch import known_options
from tritonpuzzles.engine.failures import MOST_TEXT, RunFailure
from tritonpuzzles.engine.observation import Call
from tritonpuzzles.engine.program import Facts
from tritonpuzzles.engine.text.kernels import build_kernels
from tritonpuzzles.engine.variants import texts_of
from tritonpuzzles.wire.facts import CallFact
from tritonpuzzles.wire.fields import RECORDED
from tritonpuzzles.wire.job import JobCase, JobHost
from tritonpuzzles.wire.kernels import KernelText, read_kernels
from tritonpuzzles.wire.launching import check_parameters
from tritonpuzzles.wire.program import Program
from tritonpuzzles.wire.reading import read_program


@dataclass(frozen=True)
class _Written:
    """What was recorded, before it is read."""

    program: Any
    kernels: Any


class Kernels:
    """The kernels of one submission, as they have been built so far: a later case may bring a longer table."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[KernelText, ...]] = {}
        self._built: dict[str, tuple[list[Any], tuple[str, ...]]] = {}
        self._by_text: dict[str, Any] = {}  # one object for a text, so that what is compiled is compiled once

    def call(self, case: JobCase, host: JobHost, path: Path, written: bytes, texts: Mapping[str, str]) -> Call:
        """Read a program and its kernels.

        Raises:
            RunFailure: it is nothing that a recorder of ours writes; that one reads its own steps in the same way.
        """
        try:
            program, key = self._program(case, host, written)
        except (ValueError, RecursionError) as error:
            raise RunFailure(CallFact("tampering", str(error)[:MOST_TEXT])) from error
        names = tuple(item.name for item in case.inputs)
        offsets = tuple(item.offset for item in case.inputs)
        facts = Facts(
            program, names, case.outputs or host.outputs, offsets, path, host.call, host.mutates, host.computes
        )
        return Call(facts, *self._kernels(key, texts), case.gpu, case.cached)

    def _kernels(self, key: str, texts: Mapping[str, str]) -> tuple[list[Any], tuple[str, ...]]:
        """Return the kernels that are known by a key, and what stands for the text of each."""
        if key not in self._built:
            known = texts_of(self._read[key])
            built = zip(known, build_kernels(texts, self._read[key]), strict=True)
            self._built[key] = [self._by_text.setdefault(text, kernel) for text, kernel in built], known
        return self._built[key]

    def _program(self, case: JobCase, host: JobHost, written: bytes) -> tuple[Program, str]:
        """Return a program, and by which key its kernels are known."""
        told = RECORDED.read(_Written, json.loads(written))
        key = json.dumps(told.kernels, sort_keys=True)
        if key not in self._read:
            self._read[key] = read_kernels(told.kernels)
        sizes = [item.storage_bytes for item in case.inputs]
        program = read_program(told.program, sizes, len(self._read[key]), host.goes_back(case))
        for launch in program.launches:
            check_parameters(launch.arguments, known_options())
        return program, key
