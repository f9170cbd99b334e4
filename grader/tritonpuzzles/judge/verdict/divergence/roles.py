"""Which quantity each variable follows, as far as its values tell; no name is looked at."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tritonpuzzles.curriculum.quantities import TILE, Quantity
from tritonpuzzles.judge.verdict.divergence.tally import SOME, Miss, Role, Tallies, Tally, Variable

Exact = Sequence[tuple[Role, Tally]]  # roles with which everything agrees
FACTORS = ("alpha", "beta", "lane_alpha", "lane_beta", "p", "e", "own_p", "lane_p")  # of which all may be 1
MOSTLY = 0.5  # of a variable's numbers


@dataclass(frozen=True)
class Followed:
    """A variable and what it follows.

    Attributes:
        right: whether it does to the end.
        miss: where it does not.
        rough: whether it does as well as 16 bits can.
        times: by which number it is multiplied throughout, if by one that no kernel needs.
    """

    variable: Variable
    role: Role
    right: bool
    miss: Miss | None
    rough: bool = False
    times: float | None = None

    @property
    def name(self) -> str:
        """The quantity's name."""
        return self.role.quantity.name


def follow(
    tallies: Tallies, asked: Sequence[Quantity], kept_names: Collection[str] = (), late: Collection[Variable] = ()
) -> list[Followed]:
    """Return for each variable what it follows best, if anything.

    A main quantity that no variable keeps to the end is that of the variables that kept it at first, whatever else they
    agree with: the maximum of the last tile is a step on the way, or the running maximum gone wrong. But where none of
    them goes from turn to turn, they are steps.

    Args:
        tallies: of all variables.
        asked: the main quantities, which every kernel keeps in some form.
        kept_names: of variables that hold something before the first tile.
        late: variables that are assigned where the row's maximum is known: it is what their sums are relative to.
    """
    exact = {variable: _exact(found) for variable, found in tallies.items()}
    kept = {
        role.quantity.name
        for found in exact.values()
        for role, tally in found
        if not role.quantity.wrong and tally.telling
    }
    missing = [quantity for quantity in asked if not kept & {quantity.name, *quantity.forms}]
    mains = {variable: _main(variable, roles, missing, variable in late) for variable, roles in tallies.items()}
    mains = {
        variable: None if main is None or _is_no_state(main, mains, tallies, kept_names) else main
        for variable, main in mains.items()
    }
    own = {one.name for one in mains.values() if one is not None and not _is_rather_a_step(one, tallies[one.variable])}
    found = (
        main
        if main is not None and (main.name not in own or not _is_rather_a_step(main, tallies[variable]))
        else _followed(variable, *_in_place(variable, tallies, exact[variable], kept_names, late))
        for variable, main in mains.items()
    )
    return [one for one in found if one is not None]


def _in_place(
    variable: Variable, tallies: Tallies, exact: Exact, kept_names: Collection[str], late: Collection[Variable]
) -> tuple[dict[Role, Tally], Exact]:
    """Return what a variable may follow.

    A state that a turn assigns twice is not what it was before; what is summed behind the row's maximum is relative to
    that, and not to a running one.
    """
    roles = tallies[variable]
    barred = {name.removesuffix("_final") for name in (role.quantity.name for role in roles) if name.endswith("_final")}
    twice = any(other != variable and other[:2] + other[3:] == variable[:2] + variable[3:] for other in tallies)
    if variable not in late:
        barred = set()
    if twice and variable[3] in kept_names:
        barred |= {role.quantity.name for role in roles if role.quantity.name.endswith("_before")}
    kept = {role: tally for role, tally in roles.items() if role.quantity.name not in barred}
    return kept, [(role, tally) for role, tally in exact if role in kept]


def _exact(roles: dict[Role, Tally]) -> list[tuple[Role, Tally]]:
    """Return the roles with which everything agrees, those first that tell something."""
    found = [(role, tally) for role, tally in roles.items() if tally.is_exact]
    return sorted(found, key=lambda pair: not pair[1].telling)


def _main(
    variable: Variable, roles: dict[Role, Tally], missing: Collection[Quantity], is_late: bool
) -> Followed | None:
    """Return the main quantity that nothing keeps to the end, and that a variable kept at first, in whatever form."""
    names = {name: quantity.kind for quantity in missing for name in (quantity.name, *quantity.forms)}
    for role, tally in roles.items():
        if names.get(role.quantity.name) == role.quantity.kind and _began(tally) and tally.miss is not None:
            final = f"{role.quantity.name}_final"
            if is_late and (found := next((one for one in roles if one.quantity.name == final), None)) is not None:
                role = found
            return Followed(variable, role, False, roles[role].miss or tally.miss)
    return None


def _is_no_state(
    main: Followed, mains: Mapping[Variable, Followed | None], tallies: Tallies, kept_names: Collection[str]
) -> bool:
    """Return whether a variable is a step on the way in every turn, and another may be the state that has gone wrong.

    That is one that goes from turn to turn, and of which nothing is known.
    """
    like = [one for one in mains.values() if one is not None and one.name == main.name]
    steps = (tally for role, tally in tallies[main.variable].items() if not role.quantity.wrong and tally.telling)
    if any(one.variable[3] in kept_names for one in like) or not any(tally.agreed == tally.held for tally in steps):
        return False
    known = {variable[3] for variable, one in mains.items() if one is not None}
    known |= {variable[3] for variable, roles in tallies.items() if any(tally.telling for _, tally in _exact(roles))}
    return any(variable[3] in kept_names and variable[3] not in known for variable in tallies)


def _is_rather_a_step(main: Followed, roles: dict[Role, Tally]) -> bool:
    """Return whether a variable agrees more with a step on the way than with a main quantity."""
    most = roles[main.role].share
    return any(tally.share > most and tally.telling for role, tally in roles.items() if not role.quantity.wrong)


def _followed(variable: Variable, roles: dict[Role, Tally], exact: Exact) -> Followed | None:
    """Return what one variable follows."""
    for role, tally in exact:
        if not role.quantity.wrong and (tally.telling or role.quantity.name in FACTORS):
            return Followed(variable, role, True, None)
    for role, tally in exact:
        meant = next((other for known, other in roles.items() if known.quantity.name == role.quantity.of), Tally())
        if role.quantity.wrong and tally.telling and meant.miss is not None:
            return Followed(variable, role, False, meant.miss)
    right = [(role, tally) for role, tally in roles.items() if not role.quantity.wrong]
    for role, tally in roles.items():  # at first
        meant = next((other for known, other in right if known.quantity.name == role.quantity.of), Tally())
        if (
            role.quantity.wrong
            and _began(tally)
            and meant.miss is not None
            and not any(_began(one) for _, one in right)
        ):
            return Followed(variable, role, False, meant.miss)
    best = max(right, key=lambda item: (_began(item[1]), item[1].share), default=None)
    if best is None or best[1].miss is None:
        return None
    if _began(best[1]) or best[1].telling >= MOSTLY * best[1].held:
        return Followed(variable, best[0], False, best[1].miss)
    rough = next((role for role, tally in roles.items() if tally.is_rough and _has_a_size(role.quantity)), None)
    if rough is not None:
        return Followed(variable, rough, False, roles[rough].miss, rough=True)
    scaled = (role for role, tally in roles.items() if role.quantity.scaled and role.factor.value == 1 and tally.times)
    tile = next((role for role in scaled if role.quantity.kind == TILE), None)
    return Followed(variable, tile, False, roles[tile].miss, times=roles[tile].times) if tile is not None else None


def _has_a_size(quantity: Quantity) -> bool:
    """Return whether it says something that a number is as large as a quantity but for a percent."""
    return not (quantity.wrong or quantity.scaled or quantity.absolute or quantity.name in FACTORS)


def _began(tally: Tally) -> bool:
    """Return whether a variable was right at first, and tells of that."""
    return tally.held > 0 and tally.began and tally.telling >= SOME * tally.held
