"""Tensor descriptors: blocks of a tensor addressed by their first index, with bounds checked by the hardware.

Also block pointers of Triton 3.6 and 3.7: a tile of a tensor that can be advanced. Triton 3.8 lowers them itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import triton.language as tl

from tritonpuzzles.engine.interpreter.shapes import Shapes
from tritonpuzzles.engine.interpreter.values import Array, Handle, lift, numpy_dtype


@dataclass
class Tiled:
    """A tensor of which tiles are loaded and stored."""

    base: Handle  # pointer to the tensor, one per program
    shape: list[Handle]  # of the tensor, in elements
    strides: list[Handle]
    block_shape: list[int]  # of a tile

    @property
    def element(self) -> Any:
        """The Triton type of one element."""
        return self.base.dtype.element_ty

    @property
    def width(self) -> int:
        """Bytes of one element."""
        return int(self.element.primitive_bitwidth) // 8

    def pointers(self, offsets: Sequence[Array], checked: Sequence[int]) -> tuple[Handle, Handle | None]:
        """Return the pointers of a tile, and a mask of lanes inside the tensor along the axes `checked`, if any.

        offsets: index of its first element along each axis, an array (programs or 1,), or a block of indices.
        """
        rank = len(self.block_shape)
        pointers, mask = lift(self.base.data, rank), np.ones((1,) * (rank + 1), dtype=np.bool_)
        for axis, (size, start) in enumerate(zip(self.block_shape, offsets, strict=True)):
            steps = np.arange(size).reshape([1] + [size if axis == i else 1 for i in range(rank)])
            first = start if start.ndim == rank + 1 else lift(start, rank)
            index = first.astype(np.int64) + steps * (start.ndim == 1)
            pointers = pointers + (index * self.width * lift(self.strides[axis].data, rank)).astype(np.uint64)
            if axis in checked:
                mask = mask & (index >= 0) & (index < lift(self.shape[axis].data, rank))
        found = Handle(np.broadcast_to(mask, pointers.shape), tl.int1) if checked else None
        return Handle(pointers, self.base.dtype.scalar), found


@dataclass
class Descriptor(Tiled):
    """What `tl.make_tensor_descriptor` returns to the builder."""

    padding: Any
    round_f32_to_tf32: bool = False  # set by host-side descriptors of newer versions

    @property
    def everywhere(self) -> range:
        """All axes: the hardware checks each."""
        return range(len(self.block_shape))

    def validate(self) -> None:
        """Check the hardware's requirements: 16-byte alignment, last dimension contiguous."""
        if (self.base.data % np.uint64(16)).any():
            raise ValueError("the base of a tensor descriptor must be 16-byte aligned")
        if any((stride.data * self.width % 16).any() for stride in self.strides[:-1]):
            raise ValueError("the strides of a tensor descriptor must be multiples of 16 bytes")
        if (self.strides[-1].data != 1).any():
            raise ValueError("the last dimension of a tensor descriptor must be contiguous")


@dataclass
class BlockPointer(Tiled):
    """What `tl.make_block_ptr` and `tl.advance` return to the builder."""

    offsets: list[Handle]  # of the tile's first element


class Descriptors(Shapes):
    """The builder's operations on descriptors and block pointers."""

    def _load_tile(self, tiled: Tiled, offsets: Sequence[Array], checked: Sequence[int], padding: Any) -> Handle:
        """Load a tile; lanes outside of the tensor get the padding, or an undefined value, and cost no traffic."""
        self.note_tile(int(np.prod(tiled.block_shape)))
        pointers, mask = tiled.pointers(offsets, checked)
        other = None
        if mask is not None and padding is not None:
            fill = np.nan if "NAN" in str(padding).upper() else 0
            data = np.full((1,) * pointers.data.ndim, fill, dtype=numpy_dtype(tiled.element))
            other = Handle(data, tiled.element)
        return self.memory.load(self.batch, pointers, mask, other)

    def _store_tile(self, tiled: Tiled, value: Handle, offsets: Sequence[Array], checked: Sequence[int]) -> None:
        """Store the part of a tile that lies in the tensor."""
        pointers, mask = tiled.pointers(offsets, checked)
        self.memory.store(self.batch, pointers, value, mask)

    # Descriptors

    def create_make_tensor_descriptor(
        self,
        base: Handle,
        shape: list[Handle],
        strides: list[Handle],
        block_shape: list[int],
        is_signed: bool,
        padding: Any = None,
    ) -> Descriptor:
        """Make a descriptor, and check the hardware's requirements."""
        sizes = [int(getattr(n, "value", n)) for n in block_shape]
        descriptor = Descriptor(base, shape, strides, sizes, "zero" if padding is None else padding)
        descriptor.validate()
        return descriptor

    def create_descriptor_load(self, desc: Descriptor, indices: list[Handle], *hints: Any) -> Handle:
        """Load a block; elements outside the tensor get the padding and cost no traffic."""
        return self._load_described(desc, [index.data for index in indices])

    def create_descriptor_store(self, desc: Descriptor, value: Handle, indices: list[Handle]) -> None:
        """Store the part of a block that lies in the tensor."""
        self._store_tile(desc, value, [index.data for index in indices], desc.everywhere)

    def create_descriptor_gather(self, desc: Descriptor, x_offsets: Handle, y_offset: Handle, kind: Any) -> Handle:
        """Load rows `x_offsets` from column `y_offset` on."""
        return self._load_described(*_rows(desc, x_offsets, y_offset))

    def create_descriptor_scatter(self, desc: Descriptor, value: Handle, x_offsets: Handle, y_offset: Handle) -> None:
        """Store rows `x_offsets` from column `y_offset` on."""
        rows, offsets = _rows(desc, x_offsets, y_offset)
        self._store_tile(rows, value, offsets, rows.everywhere)

    def _load_described(self, desc: Descriptor, offsets: list[Array]) -> Handle:
        result = self._load_tile(desc, offsets, desc.everywhere, desc.padding)
        if desc.round_f32_to_tf32 and desc.element == tl.float32:
            result = Handle(_nearest_tf32(result.data), desc.element)
        return result

    # Block pointers

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
        return BlockPointer(base, shape, strides, block_shape, offsets)

    def create_advance(self, ptr: BlockPointer, offsets: list[Handle]) -> BlockPointer:
        """Return a block pointer advanced by offsets."""
        pairs = zip(ptr.offsets, offsets, strict=True)
        return replace(ptr, offsets=[Handle(old.data + step.data, old.dtype) for old, step in pairs])

    def create_tensor_pointer_load(
        self, ptr: BlockPointer, boundary_check: Sequence[int], padding: Any, *hints: Any
    ) -> Handle:
        """Load a tile."""
        return self._load_tile(ptr, [offset.data for offset in ptr.offsets], boundary_check, padding)

    def create_tensor_pointer_store(
        self, ptr: BlockPointer, value: Handle, boundary_check: Sequence[int], *hints: Any
    ) -> None:
        """Store the part of a tile that lies in the tensor."""
        self._store_tile(ptr, value, [offset.data for offset in ptr.offsets], boundary_check)


def _rows(desc: Descriptor, x_offsets: Handle, y_offset: Handle) -> tuple[Descriptor, list[Array]]:
    rows = replace(desc, block_shape=[x_offsets.elements, desc.block_shape[-1]])
    return rows, [x_offsets.data[:, :, None], y_offset.data]


def _nearest_tf32(x: Array) -> Array:
    """Round float32 to TF32, to nearest even, as a load through a descriptor with `round_f32_to_tf32` does."""
    bits = np.ascontiguousarray(x).view(np.uint32)
    rounded = (bits + np.uint32(0xFFF) + ((bits >> np.uint32(13)) & np.uint32(1))) & np.uint32(0xFFFFE000)
    return np.where(np.isfinite(x), rounded.view(np.float32), x)
