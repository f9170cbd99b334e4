"""Block pointers of Triton 3.6 and 3.7: a tile of a tensor that is moved on. Triton 3.8 writes them out itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import triton.language as tl

from tritonpuzzles.engine.interpreter.descriptors import Descriptors, block_addresses
from tritonpuzzles.engine.interpreter.values import Handle, numpy_dtype


@dataclass
class BlockPointer:
    """What `tl.make_block_ptr` and `tl.advance` return to the builder.

    Attributes:
        base: pointer to the tensor, one per program.
        shape, strides: of the tensor, in elements.
        offsets: of the tile's first element.
        block_shape: of the tile.
    """

    base: Handle
    shape: list[Handle]
    strides: list[Handle]
    offsets: list[Handle]
    block_shape: list[int]

    @property
    def element(self) -> Any:
        """The Triton type of one element."""
        return self.base.dtype.element_ty

    def pointers(self, checked: Sequence[int]) -> tuple[Handle, Handle | None]:
        """Return the pointers of the tile, and a mask of the lanes that lie in the tensor along the axes `checked`."""
        width = int(self.element.primitive_bitwidth) // 8
        offsets = [offset.data for offset in self.offsets]
        found, mask = block_addresses(self.base, self.shape, self.strides, self.block_shape, offsets, width, checked)
        return Handle(found, self.base.dtype.scalar), Handle(mask, tl.int1) if checked else None


class BlockPointers(Descriptors):
    """The builder's operations on block pointers."""

    def create_make_block_ptr(
        self,
        base: Handle,
        shape: list[Handle],
        strides: list[Handle],
        offsets: list[Handle],
        block_shape: list[int],
        order: list[int],
    ) -> BlockPointer:
        """Make a block pointer; the order of its axes is a hint."""
        return BlockPointer(base, shape, strides, offsets, block_shape)

    def create_advance(self, ptr: BlockPointer, offsets: list[Handle]) -> BlockPointer:
        """Return a block pointer that is moved on."""
        pairs = zip(ptr.offsets, offsets, strict=True)
        moved = [Handle(old.data + step.data, old.dtype) for old, step in pairs]
        return replace(ptr, offsets=moved)

    def create_tensor_pointer_load(
        self, ptr: BlockPointer, boundary_check: Sequence[int], padding: Any, *hints: Any
    ) -> Handle:
        """Load a tile; lanes outside of the tensor get the padding, or an undefined value, and cost no traffic."""
        self.note_tile(int(np.prod(ptr.block_shape)))
        pointers, mask = ptr.pointers(boundary_check)
        other = None
        if mask is not None and padding is not None:
            fill = np.nan if "NAN" in str(padding).upper() else 0
            shape = (1,) * pointers.data.ndim
            other = Handle(np.full(shape, fill, dtype=numpy_dtype(ptr.element)), ptr.element)
        return self.memory.load(self.batch, pointers, mask, other)

    def create_tensor_pointer_store(
        self, ptr: BlockPointer, value: Handle, boundary_check: Sequence[int], *hints: Any
    ) -> None:
        """Store the part of a tile that lies in the tensor."""
        pointers, mask = ptr.pointers(boundary_check)
        self.memory.store(self.batch, pointers, value, mask)
