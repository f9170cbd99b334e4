"""Tensor descriptors: blocks of a tensor addressed by their first index, with bounds checked by the hardware.

Block pointers of Triton 3.6 and 3.7 too: a tile of a tensor that is moved on. Triton 3.8 writes them out itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import triton.language as tl

from tritonpuzzles.engine.interpreter.memory import Memory
from tritonpuzzles.engine.interpreter.shapes import Shapes
from tritonpuzzles.engine.interpreter.values import Array, Handle, lift, numpy_dtype


@dataclass
class Descriptor:
    """What `tl.make_tensor_descriptor` returns to the builder."""

    base: Handle
    shape: list[Handle]
    strides: list[Handle]
    block_shape: list[int]
    padding: Any
    round_f32_to_tf32: bool = False  # set by host-side descriptors of newer versions

    @property
    def element(self) -> Any:
        """The Triton type of one element."""
        return self.base.dtype.element_ty

    @property
    def width(self) -> int:
        """Bytes of one element."""
        return int(self.element.primitive_bitwidth) // 8

    def validate(self) -> None:
        """Check what the hardware demands: 16-byte alignment, last dimension contiguous."""
        if (self.base.data % np.uint64(16)).any():
            raise ValueError("the base of a tensor descriptor must be 16-byte aligned")
        if any((stride.data * self.width % 16).any() for stride in self.strides[:-1]):
            raise ValueError("the strides of a tensor descriptor must be multiples of 16 bytes")
        if (self.strides[-1].data != 1).any():
            raise ValueError("the last dimension of a tensor descriptor must be contiguous")

    def addresses(self, offsets: Sequence[Array]) -> tuple[Array, Array]:
        """Return addresses and mask of a block that starts at `offsets`, one array (programs or 1,) or block each."""
        everywhere = range(len(self.block_shape))
        shape, strides = self.shape, self.strides
        return block_addresses(self.base, shape, strides, self.block_shape, offsets, self.width, everywhere)


def block_addresses(
    base: Handle,
    shape: Sequence[Handle],
    strides: Sequence[Handle],
    block_shape: Sequence[int],
    offsets: Sequence[Array],
    width: int,
    checked: Sequence[int],
) -> tuple[Array, Array]:
    """Return the addresses of a block of a tensor, and which of them lie in it.

    Args:
        base: address of the tensor.
        shape: of the tensor, in elements.
        strides: of the tensor, in elements.
        block_shape: of the block.
        offsets: of its first element along each axis, one array (programs or 1,) or block each.
        width: bytes of an element.
        checked: the axes along which it may reach out of the tensor.
    """
    rank = len(block_shape)
    pointers, mask = lift(base.data, rank), np.ones((1,) * (rank + 1), dtype=np.bool_)
    for axis, size in enumerate(block_shape):
        steps = np.arange(size).reshape([1] + [size if axis == i else 1 for i in range(rank)])
        start = offsets[axis]
        index = (start if start.ndim == rank + 1 else lift(start, rank)).astype(np.int64) + steps * (start.ndim == 1)
        pointers = pointers + (index * width * lift(strides[axis].data, rank)).astype(np.uint64)
        if axis in checked:
            mask = mask & (index >= 0) & (index < lift(shape[axis].data, rank))
    return pointers, np.broadcast_to(mask, pointers.shape)


class Descriptors(Shapes):
    """The builder's descriptor operations."""

    memory: Memory

    def create_make_tensor_descriptor(
        self,
        base: Handle,
        shape: list[Handle],
        strides: list[Handle],
        block_shape: list[int],
        is_signed: bool,
        padding: Any = None,
    ) -> Descriptor:
        """Make a descriptor, and check what the hardware demands of it."""
        descriptor = Descriptor(base, shape, strides, [int(getattr(n, "value", n)) for n in block_shape], padding)
        descriptor.validate()
        return descriptor

    def create_descriptor_load(self, desc: Descriptor, indices: list[Handle], *hints: Any) -> Handle:
        """Load a block; elements outside the tensor get the padding and cost no traffic."""
        return self._load_block(desc, [index.data for index in indices])

    def create_descriptor_store(self, desc: Descriptor, value: Handle, indices: list[Handle]) -> None:
        """Store the part of a block that lies in the tensor."""
        pointers, mask = desc.addresses([index.data for index in indices])
        kind = desc.base.dtype.scalar
        self.memory.store(self.batch, Handle(pointers, kind), value, Handle(mask, tl.int1))

    def create_descriptor_gather(self, desc: Descriptor, x_offsets: Handle, y_offset: Handle, kind: Any) -> Handle:
        """Load rows `x_offsets` from column `y_offset` on."""
        return self._load_block(*self._rows(desc, x_offsets, y_offset))

    def create_descriptor_scatter(self, desc: Descriptor, value: Handle, x_offsets: Handle, y_offset: Handle) -> None:
        """Store rows `x_offsets` from column `y_offset` on."""
        rows, offsets = self._rows(desc, x_offsets, y_offset)
        pointers, mask = rows.addresses(offsets)
        kind = desc.base.dtype.scalar
        self.memory.store(self.batch, Handle(pointers, kind), value, Handle(mask, tl.int1))

    @staticmethod
    def _rows(desc: Descriptor, x_offsets: Handle, y_offset: Handle) -> tuple[Descriptor, list[Array]]:
        block = [x_offsets.elements, desc.block_shape[-1]]
        rows = Descriptor(desc.base, desc.shape, desc.strides, block, desc.padding, desc.round_f32_to_tf32)
        return rows, [x_offsets.data[:, :, None], y_offset.data]

    def _load_block(self, desc: Descriptor, offsets: list[Array]) -> Handle:
        self.note_tile(int(np.prod(desc.block_shape)))
        pointers, mask = desc.addresses(offsets)
        fill = np.nan if "NAN" in str(desc.padding).upper() else 0
        other = np.full((1,) * pointers.ndim, fill, dtype=numpy_dtype(desc.element))
        kind = desc.base.dtype.scalar
        result = self.memory.load(
            self.batch, Handle(pointers, kind), Handle(mask, tl.int1), Handle(other, desc.element)
        )
        if desc.round_f32_to_tf32 and desc.element == tl.float32:
            result = Handle(_nearest_tf32(result.data), desc.element)
        return result


def _nearest_tf32(x: Array) -> Array:
    """Round float32 to TF32, to nearest even, as a descriptor that asks for it does on loading."""
    bits = np.ascontiguousarray(x).view(np.uint32)
    rounded = (bits + np.uint32(0xFFF) + ((bits >> np.uint32(13)) & np.uint32(1))) & np.uint32(0xFFFFE000)
    return np.where(np.isfinite(x), rounded.view(np.float32), x)


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
