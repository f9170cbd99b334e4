"""Mistakes at the end of the sequence: masks, last blocks, shifted rows. q, k, v: (n, d) float32."""

from __future__ import annotations

import torch
from torch import Tensor

from tritonpuzzles.curriculum.mistakes import Tile
from tritonpuzzles.curriculum.mistakes.attention.common import KEYS, LOAD, LOOP, MISTAKES, VALUES, scores_of


@MISTAKES.add(
    "values-shifted",
    "The weights meet the wrong values: the rows of v stand one beside their keys, or k is read in their place.",
    "Load v with the same key offsets as k, from v_ptr.",
    VALUES,
    LOAD,
)
def keys_for_values(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """softmax(s) k."""
    q, k, _ = inputs
    return torch.softmax(scores_of(q, k), dim=1) @ k


@MISTAKES.also("values-shifted")
def values_one_late(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """v[1:] in place of v."""
    q, k, v = inputs
    return torch.softmax(scores_of(q, k), dim=1) @ torch.cat([v[1:], torch.zeros_like(v[:1])])


@MISTAKES.also("values-shifted")
def values_one_early(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """v moved down by one row."""
    q, k, v = inputs
    return torch.softmax(scores_of(q, k), dim=1) @ torch.cat([torch.zeros_like(v[:1]), v[:-1]])


@MISTAKES.add(
    "keys-and-values-swapped",
    "Keys and values have changed places: the scores are q v^T, and what is weighted are the keys.",
    "Hand k and v over in the order of the kernel's parameters, and load each from its own pointer.",
    KEYS,
    LOAD,
)
def keys_and_values_swapped(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """softmax(q v^T / sqrt(d)) k."""
    q, k, v = inputs
    return torch.softmax(scores_of(q, v), dim=1) @ k


@MISTAKES.add(
    "key-mask-missing",
    "The keys past the end of the sequence are zeros with a score of 0, and they get weight exp(0 - {m}). They must "
    "get none.",
    'Mask the scores: {s} = tl.where({key_mask}, {s}, -float("inf")).',
    r"tl\.where\(.*,\s*0(?:\.0*)?\s*\)",
    r"tl\.where\(.*-\s*float\(",
    r"tl\.dot\(\s*q",
    by_text=True,
)
def key_mask_missing(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Attention with k and v padded with zeros to whole tiles."""
    q, k, v = inputs
    pad = (0, 0, 0, -k.shape[0] % tile.cols)
    k, v = torch.nn.functional.pad(k, pad), torch.nn.functional.pad(v, pad)
    return torch.softmax(scores_of(q, k), dim=1) @ v


@MISTAKES.add(
    "last-block-skipped",
    "The last, partial block of keys is left out: the loop runs over whole blocks only.",
    "Round the number of blocks up: {all_blocks}, with a mask in the last.",
    r"^\s*(for|while)\b.*//",
    LOOP,
)
def last_block_skipped(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Attention to whole blocks of keys only."""
    q, k, v = inputs
    whole = k.shape[0] // tile.cols * tile.cols
    if not whole:
        return torch.full_like(q, torch.nan)
    return torch.softmax(scores_of(q, k[:whole]), dim=1) @ v[:whole]


@MISTAKES.add(
    "last-key-skipped",
    "The last key is left out.",
    "The mask is {keys} < {n}, not {keys} < {n} - 1.",
    r"<\s*n\b",
)
def last_key_skipped(inputs: tuple[Tensor, ...], tile: Tile) -> Tensor:
    """Attention to all keys but the last."""
    q, k, v = inputs
    if k.shape[0] < 2:
        return torch.full_like(q, torch.nan)
    return torch.softmax(scores_of(q, k[:-1]), dim=1) @ v[:-1]
