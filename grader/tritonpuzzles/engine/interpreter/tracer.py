"""The public face of the interpreter: `with Tracer() as tracer: host(x)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType, TracebackType
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from tritonpuzzles.engine.interpreter.arguments import number_of
from tritonpuzzles.engine.interpreter.batch import Order, Window
from tritonpuzzles.engine.interpreter.errors import KernelError, first_line
from tritonpuzzles.engine.interpreter.launch import Launch, Settings
from tritonpuzzles.engine.interpreter.ledger import Ledger, Place, host_place
from tritonpuzzles.engine.interpreter.phantom import Phantom, Pieces, Spread
from tritonpuzzles.engine.interpreter.poison import find_undefined
from tritonpuzzles.engine.interpreter.seen import LaunchTrace, Notes, trace_of
from tritonpuzzles.engine.interpreter.states import States
from tritonpuzzles.engine.interpreter.storage import Storage, identity
from tritonpuzzles.engine.interpreter.threads import WARP
from tritonpuzzles.engine.interpreter.values import Array
from tritonpuzzles.insides import Autotuner, JITFunction, knobs
from tritonpuzzles.wire.facts import BadAccess, Gap
from tritonpuzzles.wire.launching import LaunchError, bind, launch_grid


class Tracer:
    """Interprets and traces every kernel launch inside a `with` block.

    Kernels are plain `@triton.jit` functions of modules imported normally; TRITON_INTERPRET must not be set. A launch
    that is too long in spite of `turns`, or whose programs wait too long for each other in an `order`, ends with
    `Abort`. For `tf32`, `batch` and `turns` see `Settings`.
    """

    def __init__(
        self,
        element_counts: bool = False,  # also keep every access element by element, for pictures
        user_file: str | None = None,  # lines are attributed to it first, else to the innermost one that is a user's
        *,
        tf32: bool = True,
        check_undefined: bool = True,  # repeat launches that left lanes undefined with poison in them
        batch: int = Settings.batch,
        states: bool = False,  # also keep the values of the kernels' variables, within limits
        turns: int | None = None,
        footprints: bool = False,  # also keep which sectors every access touches, for a model of a cache
        pieces: Mapping[int, Pieces] = MappingProxyType({}),  # values of tensors without memory, by storage `identity`
        order: Order | Window | None = None,  # of the programs of some launches, if it is not the usual one
    ) -> None:
        self.element_counts, self.user_file, self.footprints = element_counts, user_file, footprints
        self.settings = Settings(tf32=tf32, batch=batch, turns=turns)
        self.check_undefined = check_undefined
        self.launches: list[LaunchTrace] = []
        # Number of a launch -> the place where its programs first depend on others' atomics, and its operations; only
        # launches that have such a place.
        self.ordered: dict[int, tuple[Place, int]] = {}
        self.rounded_to_tf32 = False  # whether any tl.dot so far rounded float32 operands to TF32
        self._order = order
        # Called with (function, args, kwargs) before each launch; `triton.language` is unpatched then.
        self.on_launch: Callable[[Any, tuple[Any, ...], dict[str, Any]], None] | None = None
        self._states = States() if states else None
        self._notes = Notes()
        self._storages: dict[int, Storage] = {}
        self._pieces = pieces
        self._saved: tuple[Any, Any] | None = None

    # The with block

    def __enter__(self) -> Tracer:
        if self._saved is not None:
            raise RuntimeError("this Tracer is already active")
        if knobs.runtime.interpret:
            raise RuntimeError("unset TRITON_INTERPRET: with it, Triton's own interpreter runs the kernels")
        self._saved = (JITFunction.run, Autotuner.run)
        JITFunction.run = lambda function, *args, **kwargs: self._launch(function, args, kwargs)
        Autotuner.run = _run_first_configuration
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._saved is not None
        JITFunction.run, Autotuner.run = self._saved
        self._saved = None

    # Queries and marks

    @property
    def facts(self) -> list[BadAccess | Gap]:
        """The faults so far: one fact per code, argument and line."""
        return self._notes.facts()

    def mark_uninitialised(self, tensor: torch.Tensor) -> None:
        """Note that the host function got this tensor's memory uninitialised (`torch.empty`)."""
        self._storage(tensor).mark(tensor, uninitialised=True)

    def mark_initialised(self, tensor: torch.Tensor) -> None:
        """Note that the host function has filled this tensor by other means."""
        self._storage(tensor).mark(tensor, uninitialised=False)

    def knows(self, tensor: torch.Tensor) -> bool:
        """Return whether a tensor's storage has been passed to a launch or to a method of this tracer."""
        return identity(tensor.untyped_storage()) in self._storages

    def mark_bytes(self, tensor: torch.Tensor, empty: Array | None) -> None:
        """Note which bytes of a tensor's whole storage are uninitialised: 1 in an array, or all of them."""
        self._storage(tensor).mark_bytes(empty)

    def mark_sum(self, left: torch.Tensor, right: torch.Tensor, total: torch.Tensor) -> None:
        """Note that a tensor is the sum of two others: elements that launches stored in both count as stored in it."""
        self.mark_initialised(total)
        self._storage(total).mark_written(total, self.written(left) & self.written(right))

    def written(self, tensor: torch.Tensor) -> Array:
        """Return, in the tensor's shape, which elements launches have stored so far; works for any view."""
        return self._storage(tensor).written_elements(tensor)

    def numbers(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return a tensor, copied into memory if its values are given as `pieces`."""
        storage = self._storage(tensor)
        with _disable_current_modes():
            return storage.numbers(tensor) if isinstance(storage, Spread) else tensor

    def reached(self, tensor: torch.Tensor) -> int | None:
        """Return the end, in bytes, of what programs have accessed in the storage of a tensor without memory.

        `None` if a launch on it was aborted.
        """
        storage = self._storage(tensor)
        assert isinstance(storage, Phantom)
        return None if storage.unfinished else storage.reached

    def check_written(self, tensor: torch.Tensor, name: str = "y") -> Gap | None:
        """Add a fact if launches have left elements of the output `name` unwritten, and return it."""
        missing = ~self.written(tensor)
        if not missing.any():
            return None
        return self._notes.add_gap(name, tensor, missing, self.launches)

    # Launching

    def _storage(self, tensor: torch.Tensor) -> Storage:
        storage = tensor.untyped_storage()
        number = identity(storage)
        known = self._storages.get(number)
        if known is None or known.nbytes != storage.nbytes():
            with _disable_current_modes():
                if not tensor.is_meta:
                    known = Storage(tensor)
                else:
                    known = Spread(tensor, self._pieces[number]) if number in self._pieces else Phantom(tensor)
            self._storages[number] = known
        return known

    def _launch(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        kwargs = dict(kwargs)
        grid, warmup = kwargs.pop("grid", None), kwargs.pop("warmup", False)
        if warmup:
            return
        if self.on_launch is not None:
            self.on_launch(function, args, kwargs)
        with _disable_current_modes():
            self._run(function, args, kwargs, grid)

    def _run(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], grid: Any) -> None:
        place = host_place()
        try:
            bound, options = bind(function, args, kwargs)
            sizes = launch_grid(grid, bound)
        except (LaunchError, TypeError) as error:
            message, code = (
                (str(error), error.code) if isinstance(error, LaunchError) else (first_line(error), LaunchError.code)
            )
            raise KernelError(f"{function.__name__}: {message}", *place, code=code) from error
        for hook in function.pre_run_hooks:
            hook(*args, **kwargs)
        self._interpret(function, bound, options, sizes, place)

    def launch(
        self,
        function: Any,  # the `JITFunction`
        arguments: dict[str, Any],  # by parameter; those with a default may be missing
        options: dict[str, Any],  # `num_warps` and its like
        grid: tuple[int, int, int],  # programs along x, y and z
        place: tuple[str, int],  # file and line of the launch
    ) -> None:
        """Interpret one launch; raises KernelError if the kernel fails."""
        try:
            bound = function.signature.bind_partial()
            bound.arguments.update(arguments)
            full = function.signature.bind(*bound.args, **bound.kwargs)
        except TypeError as error:
            raise KernelError(f"{function.__name__}: {first_line(error)}", *place) from error
        full.apply_defaults()
        self._interpret(function, dict(full.arguments), options, grid, place)

    def _interpret(
        self,
        function: Any,
        bound: dict[str, Any],
        options: dict[str, Any],
        grid: tuple[int, int, int],
        place: tuple[str, int],
    ) -> None:
        self._states = None if self._states is None else States(self._states.left)
        warps, blocks, stages = (number_of(name, options, bound) for name in ("num_warps", "num_ctas", "num_stages"))
        ledger = Ledger(self.user_file, self.element_counts, self._states, self.footprints, WARP * warps * blocks)
        number = len(self.launches)
        parts = [] if self._order is None else self._order.parts(number, grid)
        launch = Launch(function, bound, grid, place, ledger, self.settings, self._storage, parts)
        launch.builder.blocks, launch.control.stages = blocks, stages
        if self._order is not None and parts:
            launch.builder.step_limit = self._order.most_steps(number)
        self._execute(launch)
        self.launches.append(trace_of(launch, options))

    def _execute(self, launch: Launch) -> None:
        try:
            launch.run()
        except KernelError as error:
            error.file, error.line = error.file or launch.place[0], error.line or launch.place[1]
            raise
        except Exception as error:
            raise launch.error_of(error) from error
        else:
            if self.check_undefined and launch.ledger.total.undefined:
                for undefined in find_undefined(launch):
                    self._notes.add(launch, *undefined)
        finally:
            if (seen := launch.ledger.ordering.seen) is not None:
                self.ordered[len(self.launches)] = seen, launch.builder.steps
            self.rounded_to_tf32 = self.rounded_to_tf32 or launch.builder.rounded_to_tf32
            self._notes.add_launch(launch)
            launch.finish()


def _run_first_configuration(tuner: Any, *args: Any, **kwargs: Any) -> Any:
    """Run an autotuned kernel with its first configuration: nothing can be timed here."""
    named = dict(zip(tuner.arg_names, args, strict=False))
    tuner.nargs = named
    configurations = tuner.configs
    if tuner.early_config_prune:
        configurations = tuner.early_config_prune(configurations, named, **kwargs) or configurations
    configuration = configurations[0]
    tuner.best_config = configuration
    if configuration.pre_hook is not None:
        configuration.pre_hook({**named, **kwargs, **configuration.all_kwargs()})
    try:
        return tuner.fn.run(*args, **{**kwargs, **configuration.all_kwargs()})
    finally:
        tuner.nargs = None
