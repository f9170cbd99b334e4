"""A model of a GPU's L2 cache over what launches touch: how many bytes DRAM moves, in whole sectors of 32 bytes.

Pure: numbers in, numbers out. What a launch touches comes from the interpreter; nothing here knows of kernels.
"""

from tritonpuzzles.engine.cache.model import Moved, Round, moved
from tritonpuzzles.engine.cache.pieces import (
    ATOMIC,
    LOAD,
    SECTOR,
    STORE,
    TooManyPiecesError,
    Touches,
    in_order_of_stores,
    joined,
)

__all__ = [
    "ATOMIC",
    "LOAD",
    "SECTOR",
    "STORE",
    "Moved",
    "Round",
    "TooManyPiecesError",
    "Touches",
    "in_order_of_stores",
    "joined",
    "moved",
]
