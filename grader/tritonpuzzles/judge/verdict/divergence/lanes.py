"""What each lane has kept, and no variable joins."""

from __future__ import annotations

from collections.abc import Sequence

from tritonpuzzles.curriculum.quantities import Quantity
from tritonpuzzles.judge.verdict.divergence.causes import Kept, Why
from tritonpuzzles.judge.verdict.divergence.observed import Observed


def unjoined(seen: Observed, asked: Sequence[Quantity]) -> Kept | None:
    """Return the last variable that keeps, lane by lane, a main quantity that no variable keeps for the row."""
    agreed = {
        variable: {role.quantity.name for role, tally in roles.items() if tally.telling and tally.agreed == tally.held}
        for variable, roles in seen.tallies.items()
        if seen.is_complete(variable)
    }
    for quantity in asked:
        lanes = {name for name in quantity.forms if name.startswith("lane_")}
        rows = {quantity.name, *quantity.forms} - lanes
        found = [variable for variable, names in agreed.items() if names & lanes]
        if found and not any(names & rows for names in agreed.values()):
            last = max(found, key=lambda variable: max(moment.order for moment in seen.moments[variable]))
            return Kept(Why.LANES, last)
    return None
