"""Hand one file in, as a learner would, and say what of it the program got wrong."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import Any

from tests.attacks.corpus import Attack
from tests.attacks.sandbox import REPOSITORY, Ran, Sandbox, changes, copy_of

OPTIONS = ("--json", "--seed", "1", "--timeout", "20")
LAST = 5  # puzzle: after it none follows in a run
GONE = "gone"


@dataclass(frozen=True)
class Outcome:
    """What came of one file.

    Attributes:
        verdict: of the file; "gone" if there was no report.
        codes: of the findings that are errors.
        honest_after: the verdict of an honest file in the same run, and of one in a run of its own.
        leftovers: processes and files that stayed behind, in words.
        problems: all that is not as it must be, in sentences; nothing if the program did well.
    """

    attack: Attack
    verdict: str
    codes: tuple[str, ...]
    honest_after: str
    leftovers: tuple[str, ...]
    problems: tuple[str, ...]
    seconds: float


def try_out(attack: Attack, template: Sandbox, fresh: bool = True, device: str = "cpu") -> Outcome:
    """Check a file and an honest one in one run, look around, and check a shipped solution in another run.

    Args:
        attack: the file.
        template: where to copy the sandbox from.
        fresh: also do the second run.
        device: what both runs check on.
    """
    sandbox = copy_of(template)
    try:
        return _tried(attack, sandbox, fresh, device)
    finally:
        sandbox.remove()


def _tried(attack: Attack, sandbox: Sandbox, fresh: bool, device: str) -> Outcome:
    options = (*OPTIONS, "--device", device)
    other = _hand_in(attack, sandbox)
    before = sandbox.snapshot()
    ran = sandbox.run("check", str(attack.number), str(other), "--solutions", str(sandbox.root / "class"), *options)
    changed = changes(before, sandbox.snapshot() | _own(attack, before))
    verdict, codes = result_of(ran, attack.number)
    together = result_of(ran, other)[0]
    problems = [
        *_wrong_verdict(attack, verdict, codes, device),
        *_wrong_end(ran, 0 if attack.honest else 1, verdict),
        *([] if together == "pass" or verdict == GONE else [f"The honest file in the same run: {together}."]),
        *_left(ran, changed),
    ]
    honest_after, seconds = together, ran.seconds
    if fresh:
        again = sandbox.run("check", str(attack.number), "--solution", *options)
        alone = result_of(again, attack.number)[0]
        problems += [] if alone == "pass" else [f"The solution in a run of its own: {alone}."]
        problems += _wrong_end(again, 0, alone)
        honest_after, seconds = f"{together}, {alone}", seconds + again.seconds
    return Outcome(attack, verdict, codes, honest_after, (*ran.leftovers, *changed), tuple(problems), seconds)


def _hand_in(attack: Attack, sandbox: Sandbox) -> int:
    """Put the file and an honest one into the class; return the number of the honest one's puzzle."""
    folder = sandbox.root / "class"
    shutil.copyfile(attack.path, folder / f"{attack.stem}.py")
    for module in attack.path.parent.glob("_*.py"):
        shutil.copyfile(module, folder / module.name)
    other = attack.number + 1 if attack.number < LAST else attack.number - 1
    (solution,) = (REPOSITORY / "solutions").glob(f"p{other:02d}_*.py")
    shutil.copyfile(solution, folder / solution.name)
    return other


def _own(attack: Attack, before: dict[str, str]) -> dict[str, str]:
    """Return the entry of the file itself, which may do to itself as it likes."""
    name = f"class/{attack.stem}.py"
    return {name: before[name]}


def result_of(ran: Ran, number: int) -> tuple[str, tuple[str, ...]]:
    """Return the verdict on a puzzle and the codes of its errors; "gone" if there is no report of it."""
    try:
        results = json.loads(ran.stdout)["results"]
    except (ValueError, KeyError, TypeError):
        return GONE, ()
    found: list[dict[str, Any]] = [result for result in results if result["puzzle"] == number]
    if len(found) != 1:
        return GONE, ()
    codes = dict.fromkeys(item["code"] for item in found[0]["findings"] if item["severity"] == "error")
    return str(found[0]["verdict"]), tuple(codes)


def _wrong_verdict(attack: Attack, verdict: str, codes: tuple[str, ...], device: str) -> list[str]:
    """Return what is wrong with a verdict; on a GPU the values may tell what the CPU has a code for."""
    allowed = (must.holds(verdict, frozenset(codes) if device == "cpu" else must.codes) for must in attack.must)
    if any(allowed):
        return []
    named = f" ({', '.join(codes)})" if codes else ""
    return [f"The verdict is {verdict}{named}; it must be {attack.demand}."]


def _wrong_end(ran: Ran, expected: int, verdict: str) -> list[str]:
    """Return what is wrong with how the program ended; one that was ended from outside may say anything."""
    problems = []
    if ran.hung:
        problems.append("The program hangs.")
    elif ran.returncode != expected and verdict != GONE:
        problems.append(f"The exit code is {ran.returncode}, not {expected}.")
    elif ran.returncode == 3:
        problems.append("The exit code is 3: the program blames the environment.")
    if "Traceback (most recent call last)" in ran.stderr:
        problems.append(f"A traceback of the program's own: {ran.stderr.strip().splitlines()[-1][:160]}")
    return problems


def _left(ran: Ran, changed: list[str]) -> list[str]:
    running = [f"Still running: {command}." for command in ran.leftovers]
    return [*running, *(f"Outside of its own: {change}." for change in changed)]
