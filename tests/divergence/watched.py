"""Run a kernel file in this process with its variables kept, and hold them against what is right."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tritonpuzzles.curriculum.quantities import Walk
from tritonpuzzles.engine.interpreter import Event, LaunchTrace, Tracer
from tritonpuzzles.judge.evidence import states as told
from tritonpuzzles.judge.verdict.divergence.first import First, first_divergence
from tritonpuzzles.judge.verdict.divergence.observed import Observed, Observer

ROOT = Path(__file__).resolve().parents[2]


def loaded(path: Path) -> ModuleType:
    """Import a kernel file."""
    spec = importlib.util.spec_from_file_location(f"watched_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def kept(path: Path, host: str, *tensors: Tensor) -> tuple[Tensor, list[LaunchTrace]]:
    """Return what a host function gives, and its launches with their states. Tensors are contiguous."""
    with Tracer(user_file=str(path), tf32=False, check_undefined=False, states=True) as tracer:
        result = getattr(loaded(path), host)(*tensors)
    return result, tracer.launches


def as_told(launches: list[LaunchTrace], names: Mapping[int, str]) -> tuple[told.LaunchStates, ...]:
    """Return states as a judge reads them; of contiguous tensors an element's number is its place."""
    return tuple(
        tuple(
            told.BatchStates(tuple(batch.programs.tolist()), tuple(_event(event, names) for event in batch.events))
            for batch in launch.states
        )
        for launch in launches
    )


def _event(event: Event, names: Mapping[int, str]) -> told.Event:
    loops = tuple(told.LoopTurn(*loop) for loop in event.loops)
    tensor = names.get(event.storage, "scratch") if event.elements is not None else None
    where = event.file, event.line, loops
    return told.Event(event.kind, event.name, tensor, *where, event.elements, event.values, event.live, event.calls)


def diverged(
    path: Path, host: str, make: Callable[..., Walk], asked: tuple[str, ...], truth: Tensor, **tensors: Tensor
) -> tuple[First | None, Observed]:
    """Return where a file first leaves the right track on some tensors, and all that was seen."""
    result, launches = kept(path, host, *tensors.values())
    names = {tensor.untyped_storage().data_ptr(): name for name, tensor in tensors.items()}
    names[result.untyped_storage().data_ptr()] = "y"
    walk = make(*(tensor.double() for tensor in tensors.values()))
    inputs: dict[str, Any] = {name: tensor.double().reshape(-1).numpy() for name, tensor in tensors.items()}
    off = (result.double() - truth).abs().nan_to_num(torch.inf, torch.inf).amax(dim=1)
    rows = off.argsort(descending=True).tolist()
    golden = np.asarray(truth)
    limits = {"y": 1e-4 * np.abs(golden) + 1e-5 * np.abs(golden).max()}
    seen = Observer(walk, inputs, {"y": golden}, rows, 1e-5, limits).observe(as_told(launches, names))
    first, _ = first_divergence(seen, [quantity for quantity in walk.quantities if quantity.name in asked])
    return first, seen
