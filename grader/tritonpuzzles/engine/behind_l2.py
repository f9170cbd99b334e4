"""Model a small GPU's L2 cache over what a call has touched: is what programs share read once?"""

from __future__ import annotations

from collections.abc import Sequence

from tritonpuzzles.engine.cached import Setting, behind, names_of
from tritonpuzzles.engine.interpreter import LaunchTrace
from tritonpuzzles.engine.memory import Memory
from tritonpuzzles.engine.observation import Call, LaunchSummary
from tritonpuzzles.hardware.l2 import l2_told
from tritonpuzzles.results.cache import CacheTraffic
from tritonpuzzles.results.inspect import variant_of


def behind_l2(
    call: Call, memory: Memory, traced: Sequence[LaunchTrace], launches: Sequence[LaunchSummary]
) -> CacheTraffic:
    """Return what DRAM reads for a call behind the L2 cache of its GPU.

    Args:
        call: what was run; it has a GPU.
        memory: that it ran in.
        traced: its launches, with footprints.
        launches: the same, with what a program takes of a multiprocessor, where the compiler could say.
    """
    assert call.gpu is not None
    gpu, names = call.gpu, names_of(traced, call, memory)
    l2 = l2_told(gpu.name, gpu.capability, gpu.l2_bytes, gpu.multiprocessors, gpu.threads_per_multiprocessor)
    fits = {variant_of(launch.kernel, launch.constants): launch.fit for launch in launches}
    room = {variant: fit.per_multiprocessor for variant, fit in fits.items() if fit is not None}
    return behind(traced, Setting(l2, per_multiprocessor=room), names, in_order=True)
