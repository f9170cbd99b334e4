"""Kernels of this process, interpreted in it: a GPU that is not there, whose memory is the CPU's.

Nothing is confined: what runs is the caller's own code.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch import Tensor
from torch._library import triton as wrapped

from tritonpuzzles.compiler import Launch
from tritonpuzzles.compiler.compile import translate_launch
from tritonpuzzles.compiler.launch import target_of
from tritonpuzzles.engine.failures import run_failure
from tritonpuzzles.engine.interpreter import KernelError, Tracer
from tritonpuzzles.engine.interpreter.arguments import is_tensor, unwrap
from tritonpuzzles.insides import JITFunction, TensorDescriptor
from tritonpuzzles.judge.wording.calls import worded
from tritonpuzzles.judge.wording.launches import Known
from tritonpuzzles.judge.workers.job import example
from tritonpuzzles.recorder.stand_ins import present
from tritonpuzzles.recorder.warmed import Warmed
from tritonpuzzles.results.check import Finding
from tritonpuzzles.verifier.gpu import standing_in
from tritonpuzzles.verifier.places import take_empty
from tritonpuzzles.wire.facts import Fact
from tritonpuzzles.wire.job import Device
from tritonpuzzles.wire.launching import bind


@dataclass
class Seen:
    """What was launched since the last `begin`."""

    launches: int = 0  # how many were interpreted to their end
    stopped: list[Fact] = field(default_factory=list)  # what ended others
    rejected: list[Finding] = field(default_factory=list)  # the compiler's findings for kernels that it rejects


class Here:
    """Interprets the launches of this process, within `interpreted`, on a fake GPU.

    `tracer` is the ledger of the launches since the last `begin`, `seen` how they ended.
    """

    def __init__(self, gpu: Device) -> None:
        self.gpu = gpu
        self.tracer, self.seen = self._books(), Seen()
        self._active = ExitStack()
        self._translated: dict[Hashable, list[Finding]] = {}
        self._kept: list[Any] = []  # keeps kernels alive, so that their ids are not reused

    def begin(self) -> None:
        """Forget all launches and their memory."""
        self.pause()
        self.tracer, self.seen = self._books(), Seen()
        self.resume()

    def _books(self) -> Tracer:
        tracer = Tracer()
        tracer.on_launch = self._before
        return tracer

    def resume(self) -> None:
        """Take the place of Triton's own launcher."""
        self._active.enter_context(self.tracer)
        interpret = JITFunction.run

        def run(kernel: Any, *args: Any, **named: Any) -> Warmed:
            return self._launch(interpret, kernel, args, named)

        JITFunction.run = run

    def pause(self) -> None:
        """Give Triton's own launcher back."""
        self._active.close()

    @property
    def facts(self) -> list[Fact]:
        """What was wrong since the last `begin`; first what stopped a kernel."""
        return [*self.seen.stopped, *self.tracer.facts]

    def findings(self, call: str = "") -> list[Finding]:
        """Return `facts` as findings, after those of the compiler; source files are read as they are now."""
        facts = self.facts
        texts = {}
        for fact in facts:
            launch = getattr(fact, "launch", None)
            for file in () if launch is None else (launch.file, getattr(fact, "file", "")):
                texts[file] = _text(file)
        rejected = {(one.code, one.file, one.line): one for one in self.seen.rejected}
        return [*rejected.values(), *worded(facts, Known("", call, texts))]

    def written(self, tensor: Tensor) -> None:
        """Take note that PyTorch has filled a tensor."""
        if self.tracer.knows(tensor):
            self.tracer.mark_initialised(tensor)

    def _launch(self, interpret: Any, kernel: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Warmed:
        try:
            interpret(kernel, *args, **named)
        except KernelError as error:
            self.seen.stopped.append(run_failure(error, Path(kernel.fn.__code__.co_filename))[0])
            raise
        given = {name: value for name, value in named.items() if name not in ("grid", "warmup")}
        bound, options = bind(kernel, args, given)
        if not named.get("warmup"):
            self.seen.launches += 1
            self.seen.rejected += self._rejected(Launch(kernel, bound, options))
        return Warmed(kernel, bound, options, self.gpu, cache=None)

    def _rejected(self, launch: Launch) -> list[Finding]:
        """Return the findings of the compiler's front half on a kernel, which runs once per compiled variant."""
        if launch.kind not in self._translated:
            self._translated[launch.kind] = list(translate_launch(launch, target_of(self.gpu)).findings)
            self._kept.append(launch.kernel)
        return self._translated[launch.kind]

    def _before(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Pass to the ledger which elements of the arguments nothing has written yet."""
        for tensor in _tensors([*args, *kwargs.values()]):
            empty = take_empty(tensor)
            if empty is not None:
                self.tracer.mark_bytes(tensor, None if empty is True else empty)


def _tensors(values: Any) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, (tuple, list)):
            yield from _tensors(value)
        elif isinstance(value, TensorDescriptor) or is_tensor(value):
            yield unwrap(value)


def _text(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError):  # a cell, or not text: then the sentences name only line numbers
        return ""


@contextmanager
def interpreted(here: Here | None = None) -> Iterator[Here]:
    """Interpret every launch inside a `with` block, with "cuda" as CPU memory, on a fake GPU: an H100.

    If `here` is given, its records and its GPU are used again.
    """
    here = here or Here(example("H100"))
    with ExitStack() as stack:
        stack.enter_context(present(here.gpu))
        stack.enter_context(standing_in(here.written))
        stack.enter_context(wrapped.set_wrap_triton_enabled(False))
        stack.callback(here.pause)
        here.resume()
        yield here
