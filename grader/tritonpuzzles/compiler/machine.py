"""Count instructions and bytes in NVIDIA's machine code: one iteration of each innermost loop, and the rest.

A loop is the code between a backward branch and its target. Only innermost loops are separated: code in outer loops,
or in no loop, counts as executed once; so do stores that a branch in a loop of products skips.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from tritonpuzzles.results.inspect import Code, Work

WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "256": 32}
REGISTER = 4  # bytes
_LINE = re.compile(r"/\*([0-9a-f]{4,5})\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)([^;]*);")
_TARGET = re.compile(r"0x([0-9a-f]+)")
_OF_A_WARP = re.compile(r"MMA\.(16|8)(8)(4|8|16|32)\b")
_OF_FOUR_WARPS = re.compile(r"GMMA\.(\d+)x(\d+)x(\d+)\b")
_BYTES = {"E4M3", "E5M2", "S8", "U8"}  # of eight bits
_LANES = 32
_PLAIN = {"FFMA": 2, "FADD": 1, "FMUL": 1, "HFMA2": 4, "HADD2": 2, "HMUL2": 2, "FFMA2": 4}  # operations of a lane
PADDING = "NOP"


@dataclass(frozen=True)
class _Instruction:
    address: int
    name: str
    rest: str

    @property
    def target(self) -> int | None:
        """Where a branch leads to."""
        found = _TARGET.search(self.rest) if self.name.split(".")[0] == "BRA" else None
        return int(found[1], 16) if found else None


def read_code(sass: str) -> Code:
    """Return the instruction counts of a kernel's SASS."""
    found = [_Instruction(int(m[1], 16), m[2], m[3]) for m in _LINE.finditer(sass) if m[2] != PADDING]
    back = {(target, one.address) for one in found if (target := one.target) is not None and target < one.address}
    loops = [  # the innermost, which contain no other
        loop
        for loop in sorted(back)
        if not any(other != loop and loop[0] <= other[0] and other[1] <= loop[1] for other in back)
    ]
    bodies = [[one for one in found if first <= one.address <= last] for first, last in loops]
    repeated = [_without_ends(body) for body in bodies]
    often = {one.address for body in repeated for one in body}
    return Code(_work([one for one in found if one.address not in often]), tuple(map(_work, repeated)))


def _without_ends(body: Sequence[_Instruction]) -> list[_Instruction]:
    """Return the instructions of a loop over products without the stores that a branch skips, and what is around them.

    One loop over the iterations of all tiles stores at the end of a tile, which few of them are.
    """
    if not _work(body).tensor_operations:
        return list(body)
    branches = [(one.address, one.target) for one in body if one.target is not None]
    skipped = [[one for one in body if first < one.address < end] for first, end in branches]
    ends = [part for part in skipped if _work(part).stores and not _work(part).tensor_operations]
    spared = {one.address for part in ends for one in part}
    return [one for one in body if one.address not in spared]


def _work(body: Sequence[_Instruction]) -> Work:
    def bytes_of(*names: str) -> int:
        return sum(width_of(one.name) for one in body if one.name.split(".")[0] in names)

    def count(*names: str) -> int:
        return sum(one.name.split(".")[0] in names for one in body)

    return Work(
        instructions=len(body),
        load_bytes=bytes_of("LDG", "LDGSTS"),
        loads=count("LDG", "LDGSTS"),
        narrow=sum(one.name.split(".")[0] == "LDG" and width_of(one.name) < REGISTER for one in body),
        store_bytes=bytes_of("STG", "RED", "ATOMG"),
        stores=count("STG", "RED", "ATOMG"),
        local_bytes=bytes_of("LDL", "STL"),
        special=count("MUFU"),
        barriers=count("BAR", "SYNCS", "WARPSYNC"),
        shuffles=count("SHFL", "REDUX"),
        shared=sum(_shared_cycles(one.name) for one in body),
        tensor_operations=sum(_products(one.name) for one in body),
        tensor_time=int(sum(_products(one.name) * _slowness(one.name) for one in body)),
        plain_operations=sum(_LANES * _PLAIN.get(one.name.split(".")[0], 0) for one in body),
        queued=any(_OF_FOUR_WARPS.search(one.name) for one in body),
        ahead=any(one.name.split(".")[0] in ("LDGSTS", "UTMALDG") for one in body),
    )


def _products(mnemonic: str) -> int:
    """Return one warp's share of the multiplications and additions of a tensor-core instruction."""
    if found := _OF_FOUR_WARPS.search(mnemonic):
        return 2 * prod(map(int, found.groups())) // 4
    found = _OF_A_WARP.search(mnemonic)
    return 2 * prod(map(int, found.groups())) if found else 0


def _slowness(mnemonic: str) -> float:
    """Return the duration of a tensor-core instruction relative to a 16-bit one with as many operations."""
    parts = set(mnemonic.split("."))
    return 2.0 if "TF32" in parts else 0.5 if _BYTES & parts else 1.0


def _shared_cycles(mnemonic: str) -> int:
    """Return the cycles of an access to shared memory, which moves 4 bytes per thread of a warp in one cycle."""
    name, *parts = mnemonic.split(".")
    if name in ("LDSM", "STSM"):
        return next((int(part) for part in parts if part in ("2", "4")), 1)
    return max(1, width_of(mnemonic) // REGISTER) if name in ("LDS", "STS") else 0


def width_of(mnemonic: str) -> int:
    """Return how many bytes a load or store moves in each thread."""
    return next((WIDTHS[part] for part in mnemonic.split(".") if part in WIDTHS), REGISTER)
