"""One call of a puzzle's function: a case's arguments, and the outputs that it compares, forwards or with gradients."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tritonpuzzles.curriculum.record import Argument, Case, OutputSpec, Task


def of_pass(name: str, number: int) -> str:
    """Return the name of a gradient in a backward pass, counted from 1: "g", then "g_2"."""
    return name if number == 1 else f"{name}_{number}"


@dataclass(frozen=True)
class Call:
    """A host function, called as a case says."""

    task: Task
    case: Case

    @property
    def able(self) -> tuple[str, ...]:
        """The arguments whose gradients a case may request; none in a forward call."""
        return tuple(one.name for one in self.task.arguments if one.requires_grad and self.task.gradients)

    @property
    def wanted(self) -> tuple[str, ...]:
        """The arguments whose gradients the case requests."""
        asked = self.case.gradients_of
        return self.able if asked is None else tuple(name for name in self.able if name in asked)

    @property
    def against(self) -> tuple[Argument, ...]:
        """The gradients that the results are differentiated against, pass by pass."""
        passes = range(1, self.case.passes + 1)
        return tuple(replace(one, name=of_pass(one.name, number)) for number in passes for one in self.task.gradients)

    @property
    def tensors(self) -> tuple[Argument, ...]:
        """The tensors to draw: the tensor arguments, and the gradients of each pass."""
        tensors = [argument for argument in self.task.arguments if argument.is_tensor]
        if self.task.gradients:
            tensors = [replace(argument, requires_grad=argument.name in self.wanted) for argument in tensors]
        return (*tensors, *self.against)

    @property
    def compared(self) -> tuple[OutputSpec, ...]:
        """The outputs that are compared with the truth: the gradients of each pass, and after them the results."""
        if not self.task.gradients:
            return self.task.outputs
        of_arguments = zip(self.able, self.task.outputs, strict=True)
        asked = [output for name, output in of_arguments if name in self.wanted]
        passes = range(1, self.case.passes + 1)
        gradients = (replace(output, name=of_pass(output.name, number)) for number in passes for output in asked)
        return (*gradients, *self.task.results)
