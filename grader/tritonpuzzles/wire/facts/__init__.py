"""What the engine has seen, typed and without words: the judge words it, and believes none that does not add up."""

from __future__ import annotations

from typing import TypeAlias

from tritonpuzzles.wire.facts.calls import CallFact, LostContext, Said, Stopped
from tritonpuzzles.wire.facts.kernels import BadAccess, Gap, SomeRan

Fact: TypeAlias = BadAccess | Gap | SomeRan | CallFact | LostContext | Stopped | Said
__all__ = ["Fact"]
