"""What a compiled kernel uses, from the compiler's log and the machine code, and whether it fits its target.

Machine code of NVIDIA is disassembled by the `cuobjdump` of the Triton wheel; without it those numbers are `None`.
How many blocks share an SM is the arithmetic of the vendors' occupancy calculators [1].

[1] NVIDIA, CUDA C++ Programming Guide, section "Occupancy Calculator"; allocation units from its appendix.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tritonpuzzles.compiler.build import Build
from tritonpuzzles.compiler.launch import Launch, Specialised
from tritonpuzzles.compiler.machine import read_code, width_of
from tritonpuzzles.compiler.source import file_of, first_line, triton_folder
from tritonpuzzles.hardware.gpus import Target
from tritonpuzzles.results.check import Finding
from tritonpuzzles.results.inspect import Code, Occupancy, Resources

SHARED_UNIT = 128  # bytes
_AMD_WIDTHS = {"ubyte": 8, "sbyte": 8, "u8": 8, "i8": 8, "b8": 8, "ushort": 16, "sshort": 16, "short": 16, "byte": 8}
_AMD_WIDTHS |= {"u16": 16, "i16": 16, "b16": 16, "dword": 32, "b32": 32, "dwordx2": 64, "b64": 64}
_AMD_WIDTHS |= {"dwordx3": 96, "b96": 96, "dwordx4": 128, "b128": 128}
_AMD_ACCESS = re.compile(r"\b(?:buffer|global|flat)_(load|store)_(\w+)")
_TENSOR_CORE = re.compile(r"\b(?:[A-Z]+MMA(?:\.\w+)*|v_(?:mfma|smfmac|wmma|swmmac)_\w+)")
TENSOR_MEMORY_COLUMNS = 512  # of a Blackwell SM


@dataclass(frozen=True)
class RegisterUse:
    """Per thread: registers of 32 bits, bytes of stack, bytes spilled (stored and loaded)."""

    registers: int | None = None
    stack_bytes: int | None = None
    spill_bytes: int | None = None


@dataclass(frozen=True)
class Instructions:
    """What was counted in the machine code: see `Resources`."""

    local_accesses: int | None = None
    tensor_core: dict[str, int] | None = None
    load_bits: int | None = None
    store_bits: int | None = None
    notes: tuple[str, ...] = ()
    code: Code | None = None


def register_use(built: Build, target: Target) -> RegisterUse:
    """Return the registers of a kernel from the log of `ptxas -v`, or from the metadata at the end of AMD's assembly.

    A spilled AMD register counts as 8 bytes: 4 stored and 4 loaded.
    """
    if target.backend == "hip":
        text = built.asm["amdgcn"]
        spilled = _number(r"\.vgpr_spill_count:\s*(\d+)", text)
        spill_bytes = None if spilled is None else 8 * spilled
        stack_bytes = _number(r"\.private_segment_fixed_size:\s*(\d+)", text)
        return RegisterUse(_number(r"\.vgpr_count:\s*(\d+)", text), stack_bytes, spill_bytes)
    log = built.log
    stores, loads = _number(r"(\d+) bytes spill stores", log), _number(r"(\d+) bytes spill loads", log)
    spill_bytes = None if stores is None or loads is None else stores + loads
    return RegisterUse(_number(r"Used (\d+) registers", log), _number(r"(\d+) bytes stack frame", log), spill_bytes)


def _number(pattern: str, text: str) -> int | None:
    found = re.search(pattern, text)
    return int(found[1]) if found else None


def read_resources(built: Build, target: Target, use: RegisterUse) -> Resources:
    """Return all that a kernel uses; takes about 0.2 s for NVIDIA."""
    metadata, shared, warps = built.metadata, int(built.metadata.shared), int(built.metadata.num_warps)
    fits = use.registers is not None and shared <= target.shared_bytes_per_block
    share = occupancy(target, warps, use.registers or 0, shared) if fits else None
    seen = {**vars(use), **vars(_instructions(built, target))}
    return Resources(shared, warps, int(metadata.num_stages), occupancy=share, **seen)


def _instructions(built: Build, target: Target) -> Instructions:
    if target.backend == "hip":
        return amd_instructions(built.asm["amdgcn"])
    tool = find_cuobjdump()
    if tool is None:
        return Instructions(notes=("cuobjdump is missing from this Triton: instructions unknown",))
    try:
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(built.asm["cubin"])
            file.flush()
            command = [str(tool), "-sass", file.name]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        return nvidia_instructions(done.stdout)
    except (OSError, subprocess.SubprocessError) as error:
        return Instructions(notes=(f"cuobjdump fails ({type(error).__name__}): instructions unknown",))


def find_cuobjdump() -> Path | None:
    """Return the `cuobjdump` of the Triton wheel, else the system's, else `None`."""
    shipped = triton_folder() / "backends" / "nvidia" / "bin" / "cuobjdump"
    if shipped.is_file():
        return shipped
    found = shutil.which("cuobjdump")
    return Path(found) if found else None


def nvidia_instructions(sass: str) -> Instructions:
    """Count local accesses, tensor-core instructions and the widest global accesses in SASS."""
    loads = [8 * width_of(name) for name in re.findall(r"\bLDG(?:STS)?\.E[\w.]*", sass)]
    stores = [8 * width_of(name) for name in re.findall(r"\bSTG\.E[\w.]*", sass)]
    tma = [way for way, name in (("loads", "UTMALDG"), ("stores", "UTMASTG")) if re.search(rf"\b{name}", sass)]
    notes = (f"{' and '.join(tma)} whole tiles with the tensor memory accelerator",) if tma else ()
    local = len(re.findall(r"\b(?:LDL|STL)\b", sass))
    widest = max(loads, default=None), max(stores, default=None)
    return Instructions(local, _tensor_core(sass), *widest, notes, read_code(sass))


def amd_instructions(assembly: str) -> Instructions:
    """Count local accesses, tensor-core instructions and the widest global accesses in AMD's assembly."""
    widths: dict[str, list[int]] = {"load": [], "store": []}
    for way, rest in _AMD_ACCESS.findall(assembly):
        widths[way].append(max((_AMD_WIDTHS[part] for part in rest.split("_") if part in _AMD_WIDTHS), default=32))
    local = len(re.findall(r"\bscratch_(?:load|store)", assembly))
    loads, stores = (max(widths[way], default=None) for way in ("load", "store"))
    return Instructions(local, _tensor_core(assembly), loads, stores)


def _tensor_core(code: str) -> dict[str, int]:
    names = (".".join(name.split(".")[:3]) for name in _TENSOR_CORE.findall(code))
    return dict(sorted(Counter(names).items()))


def occupancy(target: Target, num_warps: int, registers: int, shared_bytes: int) -> Occupancy:
    """Return how many blocks of a kernel fit on an SM.

    `registers` is per thread; `num_warps` and `shared_bytes` are per block.
    """
    a_warp = _round_up(max(registers, 1) * target.warp_size, target.register_unit)
    a_block = _round_up(shared_bytes + target.reserved_shared_bytes, SHARED_UNIT)
    most = target.max_blocks_per_sm
    limits = {
        "warps": target.max_warps_per_sm // num_warps,
        # Each partition of the register file holds whole warps only.
        "registers": target.registers_per_sm // target.partitions // a_warp * target.partitions // num_warps,
        "blocks": most,  # before shared memory, which gives this number too if none is used
        "shared memory": target.shared_bytes_per_sm // a_block if a_block else most,
    }
    limited_by = min(limits, key=lambda name: limits[name])
    blocks = limits[limited_by]
    return Occupancy(blocks, blocks * num_warps, blocks * num_warps / target.max_warps_per_sm, limited_by)


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def num_warps_finding(launch: Launch, target: Target) -> Finding | None:
    """Return a finding if the `num_warps` of a launch is impossible; Triton compiles even 64 without an error."""
    warps = launch.options.get("num_warps", launch.arguments.get("num_warps"))
    if warps is None or not isinstance(warps, int):
        return None
    kernel, threads, most = launch.kernel, warps * target.warp_size, target.max_threads_per_block
    text, code = f"{kernel.__name__} is launched with num_warps={warps}", "num-warps-impossible"
    if warps < 1 or warps & (warps - 1):
        text += ", which is not a power of two."
        step = "Use num_warps=4 or 8; more, up to 32, for large tiles."
        return about(code, text, kernel, target, step, num_warps=warps, sizes={"num_warps": warps})
    if threads <= most:
        return None
    text += f": {threads:,} threads per program, and {_named(target)} runs at most {most:,}."
    step = f"Use num_warps={target.max_num_warps} at most; 4 or 8 is usual."
    return about(code, text, kernel, target, step, num_warps=warps, threads=threads, sizes={"num_warps": warps})


def shared_memory_finding(variant: Specialised, metadata: Any) -> Finding | None:
    """Return a finding if a kernel exceeds the shared memory of a block: it compiles but cannot be launched."""
    asked, available = int(metadata.shared), variant.target.shared_bytes_per_block
    return _exceeded("shared-memory-exceeded", variant, "bytes of shared memory per program", asked, available)


def tensor_memory_finding(variant: Specialised, metadata: Any) -> Finding | None:
    """Return a finding if a kernel exceeds the tensor memory of a Blackwell SM."""
    asked = getattr(metadata, "tmem_size", None) or 0
    return _exceeded("tensor-memory-exceeded", variant, "columns of tensor memory", asked, TENSOR_MEMORY_COLUMNS)


def _exceeded(code: str, variant: Specialised, what: str, asked: int, available: int) -> Finding | None:
    if asked <= available:
        return None
    kernel, target = variant.kernel, variant.target
    text = f"{kernel.__name__} asks for {asked:,} {what}; {_named(target)} has {available:,}."
    stages = variant.options.get("num_stages") or 1
    fewer = f" or fewer stages (now num_stages={stages})" if stages > 1 else ""
    step = f"Take smaller tiles{_sizes(variant)}{fewer}."
    sizes = {name: value for value, name in _largest(variant)}
    return about(code, text, kernel, target, step, asked=asked, available=available, sizes=sizes)


def spill_finding(variant: Specialised, registers: int | None, spill_bytes: int | None) -> Finding | None:
    """Return a finding if a kernel spills registers to DRAM-backed local memory: it works, slowly."""
    if not spill_bytes:
        return None
    kernel, target, details = variant.kernel, variant.target, {"registers": registers, "spill_bytes": spill_bytes}
    held = "" if registers is None else f" beside the {registers} registers that it holds"
    moved = f"each thread stores and loads {spill_bytes:,} bytes of local memory{held}"
    text = f"{kernel.__name__} spills on {_named(target)}: {moved}."
    step = f"Take smaller tiles{_sizes(variant)} or more warps (now num_warps={variant.options['num_warps']})."
    return about("register-spills", text, kernel, target, step, **details)


def about(code: str, text: str, kernel: Any, target: Target, step: str | None = None, **details: Any) -> Finding:
    """Return a finding about a kernel that is compiled for a target, at its `def`."""
    known = {"kernel": kernel.__name__, "target": target.name, **details}
    return Finding(code, text, file=file_of(kernel), line=first_line(kernel), next_step=step, details=known)


def _named(target: Target) -> str:
    return f"{target.name} ({target.gpu})"


def _sizes(variant: Specialised) -> str:
    """Name the largest constexprs that look like tile sizes."""
    blocks = _largest(variant)
    return f" (now {', '.join(f'{name}={value}' for value, name in blocks[:3])})" if blocks else ""


def _largest(variant: Specialised) -> list[tuple[int, str]]:
    """Return value and name of the constexprs that look like tile sizes (16 or more), the largest first."""
    return sorted(((value, name) for name, value in variant.constexprs.items() if value >= 16), reverse=True)
