"""Read what a worker tells of a call behind an L2 cache, with the same suspicion as the rest of what it tells."""

from __future__ import annotations

from typing import Any

from tritonpuzzles.judge.evidence.fields import count, items, optional_count, optional_text, table, tables, text
from tritonpuzzles.results.cache import CachedLine, CacheTraffic
from tritonpuzzles.results.submission import Submission


def cache_traffic(data: Any, file: Submission) -> CacheTraffic:
    """Read what stands in a `cache` frame.

    Args:
        data: as the worker sent it.
        file: the submission; its lines are named by the name that it is known by.

    Raises:
        ValueError, TypeError, KeyError: if it is not of the expected form.
    """
    told = table(data)
    return CacheTraffic(
        gpu=text(told["gpu"]),
        l2_bytes=count(told["l2_bytes"]),
        at_once=tuple(count(programs) for programs in items(told["at_once"])),
        lines=tuple(_line(item, file) for item in tables(told["lines"])),
        copied_bytes=count(told["copied_bytes"]),
        problem=optional_text(told["problem"]),
        in_order_bytes=optional_count(told["in_order_bytes"]),
    )


def _line(data: dict[str, Any], file: Submission) -> CachedLine:
    return CachedLine(
        file=file.known(text(data["file"])),
        line=count(data["line"]),
        argument=text(data["argument"]),
        tensor=optional_text(data["tensor"]),
        read_bytes=count(data["read_bytes"]),
        written_bytes=count(data["written_bytes"]),
    )
