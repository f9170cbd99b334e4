"""Every code that the grader itself gives a finding, with its kind, its weight and its meaning.

Codes of named mistakes are defined with their emulations (`curriculum/mistakes/`, or a pack's own module); each of them
is an error in the values. docs/codes.md is generated from both.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Kind(enum.Enum):
    """What a finding is about."""

    COST = "cost"  # bytes and time: more than the puzzle allows, or worth knowing
    LIMIT = "limit"  # sizes that the puzzle bounds: tiles, programs, scratch memory
    FORM = "form"  # what the host function is, does and returns
    VALUE = "value"  # the numbers in the output
    SAFETY = "safety"  # memory outside of its tensors or never written; programs that interfere with each other
    PROCESS = "process"  # importing, compiling, running, ending


class Severity(enum.Enum):
    """How much a finding weighs: only an error keeps a check from passing."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


COMPILE_ERROR = "compile-error"  # other findings beside it are less certain
NOT_COMPILED = "not-compiled"


@dataclass(frozen=True)
class Code:
    """One code."""

    name: str  # stable, kebab-case, for scripts
    kind: Kind
    meaning: str  # one sentence for the list
    severity: Severity = Severity.ERROR
    on_cpu_alone: str = ""  # why the CPU engine may report it although the GPU accepts the kernel, if that can happen
    on_gpu_alone: str = ""  # the same with GPU and CPU exchanged


_TRAFFIC = "A GPU does not report how often a kernel reads its input; the engine counts."
_LUCK = "The undefined value happened to do no harm on the GPU this time; the engine knows that it is undefined."
_ORDER = "The programs happened to run in an order that gave the right values on the GPU."

_ALL = (
    # The file and its process.
    Code("missing-file", Kind.PROCESS, "The file is not there, or cannot be read."),
    Code("file-too-large", Kind.PROCESS, "The file is larger than any solution."),
    Code("not-utf8", Kind.PROCESS, "The file is not UTF-8 text."),
    Code("syntax-error", Kind.PROCESS, "Python cannot parse the file."),
    Code("import-error", Kind.PROCESS, "Importing the file raises an exception."),
    Code("left-out", Kind.PROCESS, "A line that runs at import raises; the check continues.", Severity.NOTE),
    Code("exit", Kind.PROCESS, "The file ends the process that runs it."),
    Code("crash", Kind.PROCESS, "A signal ends the process that runs the file."),
    Code("timeout", Kind.PROCESS, "A stage takes longer than its time limit."),
    Code("tampering", Kind.PROCESS, "The messages about the file are inconsistent: it wrote to the grader's channel."),
    Code("not-recordable", Kind.PROCESS,
         "The host function does something that cannot be recorded, or too much to record."),
    Code("too-many-configurations", Kind.PROCESS, "An autotuner has more configurations than the check tries."),
    Code("runtime-error", Kind.PROCESS, "The host function raises an exception."),
    Code("out-of-memory", Kind.PROCESS, "The host function asks for more memory than is available.",
         on_gpu_alone="The GPU has less memory than this machine."),
    Code("kernel-error", Kind.PROCESS, "The kernel stops while it runs."),
    Code("promise-broken", Kind.PROCESS, "The kernel promises the compiler something that is not true."),
    Code("endless-loop", Kind.PROCESS, "A loop never ends: no iteration changes what its condition depends on."),
    Code("grid-too-large", Kind.PROCESS, "A launch asks for more programs on an axis than CUDA starts."),
    Code("unsupported-operation", Kind.PROCESS, "The CPU engine does not support this operation."),
    Code(COMPILE_ERROR, Kind.PROCESS, "Triton's compiler, or ptxas, rejects the kernel.",
         on_cpu_alone="It was compiled for other GPUs than this one, too."),
    Code("compiled-differently", Kind.PROCESS,
         "The compiler takes another path through the kernel than the interpreter: what was checked is not what runs.",
         on_cpu_alone="It was compiled for other GPUs than this one, too."),
    Code(NOT_COMPILED, Kind.PROCESS, "A kernel was not compiled in time: it is unknown whether a GPU accepts it.",
         on_cpu_alone="A check on a GPU compiles for that GPU only, and without a time limit."),
    Code("target-lacks", Kind.PROCESS, "One of the target GPUs lacks a feature that a kernel uses; another has it.",
         Severity.NOTE),
    Code("num-warps-impossible", Kind.PROCESS, "The GPU cannot run that many warps in one program."),
    Code("shared-memory-exceeded", Kind.PROCESS, "The kernel needs more shared memory than the GPU has."),
    Code("tensor-memory-exceeded", Kind.PROCESS, "The kernel needs more tensor memory than the GPU has."),
    Code("out-of-resources", Kind.PROCESS, "The GPU refuses the launch: it lacks registers, shared memory or warps.",
         on_gpu_alone="The engine has no limit on memory on chip; this GPU has."),
    Code("timing-failed", Kind.PROCESS, "The timing gave no numbers.", Severity.WARNING),
    Code("not-available", Kind.PROCESS, "A function to compare with does not run on this GPU."),
    Code("not-timed-here", Kind.PROCESS, "On this GPU the puzzle is graded for correctness only.", Severity.NOTE),
    Code("cases-not-run", Kind.PROCESS, "A wrong file takes long: its other cases are not run.", Severity.NOTE),
    Code("case-left-out", Kind.PROCESS, "A case needs a larger GPU than this one.", Severity.NOTE),
    Code("variant-refused", Kind.PROCESS, "The function refuses a variation of your call.", Severity.NOTE),
    Code("variant-untried", Kind.PROCESS, "The reference refuses variations of your call.", Severity.NOTE),
    Code("grader-fault", Kind.PROCESS, "The grader itself failed; this says nothing about the file."),
    # The host function.
    Code("missing-host-function", Kind.FORM, "The file does not define the host function."),
    Code("nothing-written", Kind.FORM, "The file is a stub: its kernels access no memory."),
    Code("sizes-exchanged", Kind.FORM, "A launch passes a size of the input under the name of another."),
    Code("no-launch", Kind.FORM, "The host function launches no Triton kernel."),
    Code("wrong-memory", Kind.FORM, "The host function returns memory that no kernel was launched on."),
    Code("unlike-calls", Kind.FORM, "Two calls with tensors that are alike launch different things."),
    Code("no-allocator", Kind.FORM, "A kernel makes tensor descriptors, and nothing gives it memory for them."),
    Code("foreign-tensor", Kind.FORM, "A kernel gets a tensor that is neither an input nor allocated in the call."),
    Code("aliases-input", Kind.FORM, "The host function returns an input's own memory."),
    Code("needless-programs", Kind.FORM,
         "More programs are launched than there are elements, or thousands of which almost none loads or stores.",
         on_cpu_alone="A GPU does not report which programs load and store nothing; the engine does."),
    Code("torch-compute", Kind.FORM, "PyTorch does work that the kernel must do."),
    Code("host-wrote-output", Kind.FORM, "The host function itself writes into memory that a kernel has written."),
    Code("wrong-type", Kind.FORM, "The result is not the number of plain tensors that the puzzle asks for."),
    Code("wrong-shape", Kind.FORM, "An output has another shape than the puzzle asks for."),
    Code("wrong-dtype", Kind.FORM, "An output has another dtype than the puzzle asks for."),
    Code("no-gradient", Kind.FORM, "The result cannot be differentiated, or an argument gets no gradient."),
    Code("grad-set", Kind.FORM, "A backward pass sets `.grad` itself, and PyTorch adds the returned gradient to it."),
    Code("wrong-device", Kind.FORM, "An output is on another device than the inputs."),
    Code("wrong-strides", Kind.FORM, "An output is not contiguous, where the puzzle asks for it."),
    # Memory and programs.
    Code("out-of-bounds-load", Kind.SAFETY, "A load reads elements that its tensor does not have.", on_cpu_alone=_LUCK),
    Code("out-of-bounds-store", Kind.SAFETY, "A store writes elements that its tensor does not have."),
    Code("out-of-bounds-atomic", Kind.SAFETY, "An atomic operation updates elements that its tensor does not have."),
    Code("illegal-memory-access", Kind.SAFETY, "The GPU stops the kernel: it accesses memory that is not its own.",
         on_gpu_alone="The kernel fails for a shape that only the GPU gets, or its programs race."),
    Code("int32-overflow", Kind.SAFETY, "An offset does not fit into 32 bits.",
         on_gpu_alone="The engine runs only some programs of such a large matrix, and only a part of long loops."),
    Code("undefined-lane", Kind.SAFETY, "A masked-off lane's undefined value reaches the result.", on_cpu_alone=_LUCK),
    Code("division-by-zero", Kind.SAFETY, "Integers are divided by zero, and it reaches the result.",
         on_cpu_alone=_LUCK),
    Code("undefined-shift", Kind.SAFETY, "Integers are shifted by more bits than they have, and it reaches the result.",
         on_cpu_alone=_LUCK),
    Code("uninitialised-read", Kind.SAFETY, "A kernel reads memory that nothing has written.", on_cpu_alone=_LUCK),
    Code("unwritten-elements", Kind.SAFETY, "Elements of an output are never written."),
    Code("large-tensor-unreached", Kind.SAFETY,
         "The programs that were run reach only the first half of a tensor too large for memory."),
    Code("written-twice", Kind.SAFETY, "Elements are written by more than one program.", on_cpu_alone=_ORDER),
    Code("written-alike", Kind.SAFETY, "An element is written several times, with the same value.", Severity.NOTE),
    Code("race-write-write", Kind.SAFETY, "Different values are written to one element.", on_cpu_alone=_ORDER),
    Code("race-read-write", Kind.SAFETY, "A program reads what another program writes.", on_cpu_alone=_ORDER),
    Code("race-in-program", Kind.SAFETY, "A thread reads or overwrites what another thread of its program writes.",
         on_cpu_alone=_ORDER),
    Code("tuned-in-place", Kind.SAFETY, "An autotuner runs a kernel many times, and the kernel changes its own input."),
    Code("order-dependent", Kind.SAFETY,
         "Values are right in lockstep, and wrong when the programs run one after the other.", on_cpu_alone=_ORDER),
    Code("race", Kind.SAFETY, "The same call gives other values when it is repeated on the GPU.",
         on_gpu_alone="The engine runs the programs one after the other; on the GPU they run at once."),
    Code("input-modified", Kind.SAFETY, "The call changes an input."),
    # Values, where no named mistake explains them.
    Code("wrong-values", Kind.VALUE, "Values differ from the reference by more than the tolerance."),
    Code("cached-answer", Kind.VALUE, "A result is kept from an earlier call."),
    Code("comparison-chained", Kind.VALUE, "Values are wrong, and a mask joins comparisons without brackets."),
    Code("saved-as-attribute", Kind.FORM, "An argument is kept for backward without ctx.save_for_backward.",
         Severity.NOTE),
    Code("version-hidden", Kind.FORM, "A forward pass takes .data of a tensor, which hides its changes from PyTorch."),
    Code("kept-outside-ctx", Kind.VALUE, "Values that backward needs are kept where another call overwrites them."),
    Code("nan-hidden", Kind.VALUE, "Elements that must be NaN are numbers; all others are right."),
    Code("strides-assumed", Kind.VALUE, "Values are wrong only for tensors with gaps between their rows."),
    Code("hard-coded-size", Kind.VALUE, "Values are wrong only for sizes other than one fixed in the code."),
    Code("low-precision", Kind.VALUE, "Values are computed with fewer bits than the puzzle asks for."),
    Code("tf32", Kind.VALUE, "float32 products are computed in TF32.",
         on_cpu_alone="This GPU multiplies float32 exactly; the engine rounds to TF32, as GPUs with tensor cores do.",
         on_gpu_alone="The GPU's tensor cores round float32 factors to TF32."),
    Code("wrong-when-timed", Kind.VALUE, "A result is right when it is checked, and wrong when the call is timed."),
    Code("configurations-tried", Kind.VALUE,
         "The number of an autotuner's configurations that were run: a GPU may choose any of them.", Severity.NOTE),
    Code("not-run", Kind.VALUE, "No case runs a line that loads, stores or launches.", Severity.NOTE),
    Code("devices-disagree", Kind.VALUE, "The CPU engine and the GPU judge the file differently.", Severity.NOTE),
    # What the puzzle bounds.
    Code("too-many-loads", Kind.COST, "An input is read more often than the puzzle allows.", on_cpu_alone=_TRAFFIC),
    Code("too-many-stores", Kind.COST, "A tensor is written more often than the puzzle allows.", on_cpu_alone=_TRAFFIC),
    Code("better-than-asked", Kind.COST, "An input is read less often than the puzzle allows.", Severity.NOTE),
    Code("may-reorder", Kind.VALUE, "The compiler may put the elements of a tile in any order.", Severity.NOTE),
    Code("no-tile", Kind.COST, "A kernel works on one element at a time.", Severity.NOTE),
    Code("ready-made", Kind.FORM, "A function of Triton does the whole work of the puzzle.", Severity.NOTE),
    Code("strided-loads", Kind.COST, "Main predicted cost: lanes that load from addresses far apart.", Severity.NOTE),
    Code("narrow-loads", Kind.COST, "Main predicted cost: threads that load few bytes at a time.", Severity.NOTE),
    Code("spills", Kind.COST, "Main predicted cost: registers that spill to memory.", Severity.NOTE),
    Code("few-programs", Kind.COST, "Main predicted cost: multiprocessors without a program.", Severity.NOTE),
    Code("wave-tail", Kind.COST, "Main predicted cost: a last wave with few programs.", Severity.NOTE),
    Code("tiny-tiles", Kind.COST, "Main predicted cost: tiles that are too small.", Severity.NOTE),
    Code("few-warps", Kind.COST, "Main predicted cost: tiles with too few warps.", Severity.NOTE),
    Code("no-tensor-cores", Kind.COST, "Main predicted cost: products outside of tensor cores.", Severity.NOTE),
    Code("no-pipelining", Kind.COST, "Main predicted cost: waiting for the next tiles.", Severity.NOTE),
    Code("autotuner-cannot-choose", Kind.COST, "All configurations of an autotuner are predicted to be equally slow.",
         Severity.NOTE),
    Code("extra-pass", Kind.COST, "Main predicted cost: data that is read or written again.", Severity.NOTE),
    Code("prediction-off", Kind.COST, "The measured and the predicted time differ by more than the model's error.",
         Severity.NOTE),
    Code("many-launches", Kind.COST, "Main predicted cost: several launches, one after the other.", Severity.NOTE),
    Code("register-spills", Kind.COST, "Values do not fit into registers and are stored in memory.", Severity.WARNING),
    Code("suspicious-timing", Kind.COST, "A time is shorter than the hardware allows.", Severity.WARNING),
    Code("tile-too-large", Kind.LIMIT, "A tile has more elements than the puzzle allows.",
         on_cpu_alone="The engine sees the size of every tile; a GPU does not report it."),
    Code("too-many-programs", Kind.LIMIT, "More programs are launched than the puzzle allows."),
    Code("too-few-programs", Kind.LIMIT, "Fewer programs are launched than the puzzle asks for."),
    Code("more-programs-than-fit", Kind.LIMIT, "More programs are launched than the GPU holds at once.",
         on_cpu_alone="A kernel takes more registers on the GPU that the engine compiles for, or that GPU is smaller.",
         on_gpu_alone="A kernel takes more registers on this GPU, or this GPU has fewer multiprocessors."),
    Code("idle-multiprocessors", Kind.LIMIT,
         "Fewer programs are launched, or do work, than the GPU has multiprocessors, although there is work for more.",
         on_cpu_alone="The engine checks for several GPUs; this one has no more multiprocessors than programs.",
         on_gpu_alone="This GPU has more multiprocessors than those that the engine checks for."),
    Code("occupancy-unknown", Kind.PROCESS, "It is not known how many programs the GPU holds at once."),
    Code("too-many-launches", Kind.LIMIT,
         "More kernels are launched than the puzzle allows, or than the recorder can record."),
    Code("too-many-dram-reads", Kind.COST,
         "More is read from DRAM than the puzzle allows, by a model of the L2 cache.",
         on_cpu_alone="The model is the CPU engine's; a GPU does not report what its cache holds."),
    Code("dram-reads-unknown", Kind.PROCESS, "It is not known how much is read from DRAM.",
         on_cpu_alone="The model is the CPU engine's; a GPU does not report what its cache holds."),
    Code("too-many-bytes", Kind.COST, "More bytes are moved in all than the puzzle allows.", on_cpu_alone=_TRAFFIC),
    Code("size-of-its-own", Kind.FORM,
         "A call too large to be computed uses a kernel, constants or lines that no call with values uses.",
         on_cpu_alone="Only the CPU engine makes calls that are too large for memory."),
    Code("constant-missing", Kind.FORM, "A constexpr that the puzzle's limits need is missing."),
    Code("needless-gradient", Kind.LIMIT, "A gradient is computed that the call does not ask for."),
    Code("operand-copied", Kind.LIMIT, "The host function copies a tensor that a kernel could read where it is."),
    Code("scratch-too-large", Kind.LIMIT, "The host function allocates more scratch memory than it may."),
)  # fmt: skip

CODES: dict[str, Code] = {code.name: code for code in _ALL}


def code_named(name: str) -> Code:
    """Return a code; one that is not in the list is a named mistake's, an error in the values."""
    return CODES.get(name) or Code(name, Kind.VALUE, "")


def place(name: str) -> int:
    """Return the rank of a code among others of its severity: causes, then costs, then unexplained wrong values."""
    return 2 if name == "wrong-values" else 1 if is_a_demand(name) else 0


def is_a_demand(name: str) -> bool:
    """Whether a code is about what a right kernel may use, and not about whether it is right."""
    return code_named(name).kind in (Kind.COST, Kind.LIMIT)
