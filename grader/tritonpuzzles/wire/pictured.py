"""What an engine tells of every access of one case, and how much of it: both sides hold to the same bounds."""

from __future__ import annotations

MAX_LANES = 1 << 20  # of all accesses: what a picture can still show
MAX_ACCESSES = 10_000
MAX_TILES = 1 << 17  # of all accesses and programs; of more none is told
BYTES_PER_LANE = 8  # element and program number, int32 each
BYTES_PER_TILE = 16  # program, row and column of its first lane, lanes that are masked off, int32 each
MAX_PAYLOAD = MAX_LANES * BYTES_PER_LANE + MAX_TILES * BYTES_PER_TILE
