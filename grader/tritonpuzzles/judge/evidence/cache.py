"""Read what a worker tells of a call behind an L2 cache, with the same suspicion as the rest of what it tells."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tritonpuzzles.judge.evidence.fields import SENT
from tritonpuzzles.results.submission import Submission
from tritonpuzzles.results.traffic import CacheTraffic


def cache_traffic(data: Any, file: Submission) -> CacheTraffic:
    """Read what stands in a `cache` frame.

    Args:
        data: as the worker sent it.
        file: the submission; its lines are named by the name that it is known by.

    Raises:
        DecodeError: if it is not of the expected form.
    """
    found = SENT.read(CacheTraffic, data)
    return replace(found, lines=tuple(replace(line, file=file.known(line.file)) for line in found.lines))
