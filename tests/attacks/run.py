"""Try the corpus on the program: `python -m tests.attacks.run [NAME ...] [--quick] [--device cuda] [--markdown FILE]`.

Each file is checked in a sandbox of its own, by the real program in processes of its own. Prints a line a file and
then what went wrong; exit code 1 if anything did. This takes about ten seconds a file.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.attacks.corpus import Attack, read_corpus
from tests.attacks.sandbox import make_template
from tests.attacks.trial import Outcome, try_out

HEADINGS = ("file", "tries", "must", "verdict", "codes", "honest after", "leftovers", "seconds", "")


def main(words: Sequence[str] | None = None) -> int:
    """Try what the words name, everything without any; return 1 if something went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks.run", description="Try hostile files.")
    parser.add_argument("names", nargs="*", help="files of the corpus, without .py")
    parser.add_argument("--quick", action="store_true", help="leave out the second run, of the shipped solution alone")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="what the files are checked on")
    parser.add_argument("--markdown", type=Path, help="also write the table to this file")
    asked = parser.parse_args(words)
    try:
        chosen = choose(read_corpus(), asked.names)
    except ValueError as error:
        parser.error(str(error))
    outcomes = list(_tried(chosen, fresh=not asked.quick, device=asked.device))
    mishandled = [outcome for outcome in outcomes if outcome.problems]
    if asked.markdown:
        asked.markdown.write_text(page(outcomes), encoding="utf-8")
    print(summary(outcomes, mishandled))
    return 1 if mishandled else 0


def choose(corpus: Sequence[Attack], names: Sequence[str]) -> list[Attack]:
    """Return the files with these names, all if there are none.

    Raises:
        ValueError: if a name is none of the corpus.
    """
    known = {attack.name for attack in corpus}
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"the corpus has no {', '.join(unknown)}")
    return [attack for attack in corpus if not names or attack.name in names]


def _tried(chosen: Iterable[Attack], fresh: bool, device: str) -> Iterable[Outcome]:
    template = make_template()
    try:
        for attack in chosen:
            outcome = try_out(attack, template, fresh, device)
            print(line(outcome), flush=True)
            yield outcome
    finally:
        template.remove()


def line(outcome: Outcome) -> str:
    """Return an outcome as a line for a terminal, with its problems below."""
    mark = "NO" if outcome.problems else "ok"
    codes = ", ".join(outcome.codes)
    head = f"{mark}  {outcome.attack.name:34} {outcome.verdict:6} {outcome.seconds:5.1f} s  {codes}"
    return "\n".join([head, *(f"      {problem}" for problem in outcome.problems)])


def summary(outcomes: Sequence[Outcome], mishandled: Sequence[Outcome]) -> str:
    """Return how many files were handled well, and the names of the others."""
    names = "".join(f"\n  {outcome.attack.name}" for outcome in mishandled)
    passed = sum(outcome.verdict == "pass" and not outcome.attack.honest for outcome in outcomes)
    return (
        f"{len(outcomes) - len(mishandled)} of {len(outcomes)} files are handled as they must be; "
        f"{passed} hostile ones got a pass." + (f" Mishandled:{names}" if names else "")
    )


def page(outcomes: Sequence[Outcome]) -> str:
    """Return the outcomes as a page with a table and a list of problems."""
    rows = [" | ".join(_cells(outcome)) for outcome in outcomes]
    table = "\n".join(f"| {row} |" for row in (" | ".join(HEADINGS), " | ".join("---" for _ in HEADINGS), *rows))
    mishandled = [outcome for outcome in outcomes if outcome.problems]
    problems = "\n".join(f"- `{o.attack.name}`: {' '.join(o.problems)}" for o in mishandled)
    return f"{table}\n\n{summary(outcomes, mishandled)}\n\n{problems}\n"


def _cells(outcome: Outcome) -> tuple[str, ...]:
    attack = outcome.attack
    cells = (
        attack.name,
        attack.tries,
        attack.demand,
        outcome.verdict,
        ", ".join(outcome.codes),
        outcome.honest_after,
        "; ".join(outcome.leftovers),
        f"{outcome.seconds:.1f}",
        "mishandled" if outcome.problems else "",
    )
    return tuple(cell.replace("|", "\\|").replace("\n", " ") for cell in cells)


if __name__ == "__main__":
    sys.exit(main())
