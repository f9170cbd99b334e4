"""`tritonpuzzles dev`: for authors, new puzzles, and whether puzzles hold what they promise."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path

import click
from rich.text import Text

from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front import console
from tritonpuzzles.front.console import no_status, status_line
from tritonpuzzles.front.dev.demands import Demand, demands, further_demands, matrix_page
from tritonpuzzles.front.dev.proof import Proof, all_told, as_data, corpora_of, prove, read_corpus
from tritonpuzzles.front.dev.skeleton import TODO, find_model, place_for, skeleton, write
from tritonpuzzles.front.errors import ExitCode, refuse_elsewhere
from tritonpuzzles.front.options import PATH, SEED, example, json_option, names_argument
from tritonpuzzles.front.page.terminal import indented, item, next_line, two_columns
from tritonpuzzles.front.text import harmless
from tritonpuzzles.front.workspace.folder import shown
from tritonpuzzles.front.workspace.shipped import refuse_unknown_hosts
from tritonpuzzles.judge.options import CheckOptions

KINDS = ("family", "reference", "tolerance", "walk", "baseline", "mistake")
Asked = tuple[Proof, Path, list[Demand]]  # of the kernels of one puzzle in one corpus
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1),
    default=lambda: max(1, (os.cpu_count() or 2) // 2),
    help="Files at once; half the cores by default.",
)
corpus_option = click.option(
    "--corpus", "named", type=PATH, metavar="DIR", multiple=True, help="Wrong and right kernels; the pack's by default."
)


@click.group(epilog=example("dev check all", "dev check 3 --seed 7"))
def dev_command() -> None:
    """For authors of puzzles."""


@dev_command.command("new", epilog=example("dev new row_max", "dev new row_max --like 3"))
@click.argument("slug", metavar="NAME")
@click.option("--like", metavar="N", help="Begin as a copy of this puzzle, of the open pack or a shipped one.")
@click.option("--into", type=PATH, metavar="DIR", default=Path(), help="The pack's folder; this one by default.")
def dev_new(slug: str, like: str | None, into: Path) -> None:
    """Write a skeleton of every file that a puzzle needs. These are record, hints, stub, solution and kernels.

    It passes as it stands, a kernel that doubles every element; change it into yours. A folder that is no pack yet
    becomes one.
    """
    folder = into.expanduser().absolute()
    place = place_for(folder, slug)
    model = find_model(like) if like is not None else None
    written = write(place, skeleton(place, model))
    out = console.stdout()
    for path in written:
        out.print(indented(Text(shown(path))))
    there = "" if folder == Path.cwd() else f"--pack {shown(folder)} "
    says = f"Each is {model.stem}'s until you change it, and the record says" if model else "Each says"
    out.print(Text(f"{says} {TODO} where your words belong. What may stand there: tritonpuzzles docs packs"))
    out.print(next_line(f"tritonpuzzles {there}dev check {place.number}"))


@dev_command.command("names", epilog=example("dev names", "dev names family", "dev names --json"))
@click.argument("kind", required=False, type=click.Choice(KINDS), metavar=f"[{' | '.join(KINDS)}]")
@json_option
def dev_names(kind: str | None, as_json: bool) -> None:
    """List what a record may name, a line each. Families, references, tolerances, walks, baselines, mistakes.

    Those of the open pack come first of their kind.
    """
    refuse_elsewhere()  # what draws and computes them is made of tensors
    from tritonpuzzles.judge.authors import names

    found = [name for name in names(load_curriculum().puzzles) if kind in (None, name.kind)]
    if as_json:
        console.show_json({"version": 1, "names": [asdict(name) for name in found]})
        return
    out = console.stdout()
    left = min(max(len(name.name) for name in found), out.width // 2)
    for title in dict.fromkeys((name.kind, name.module) for name in found):
        out.print(Text(title[0] + (f', mistakes_module = "{title[1]}"' if title[1] else ""), "bold"))
        rows = [(name.name, name.says) for name in found if (name.kind, name.module) == title]
        out.print(indented(two_columns(rows, left)))


@dev_command.command("told", epilog=example("dev told 3", "dev told all --json"))
@names_argument
@corpus_option
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True)
@click.option("--seed", type=SEED, default=1, show_default=True)
@jobs_option
@json_option
def dev_told(names: tuple[str, ...], named: tuple[Path, ...], device: str, seed: int, jobs: int, as_json: bool) -> None:
    """Show what a report says first of each wrong kernel. That is its line, its code and its message.

    Is it true, and does it lead to the mistake? The kernels need not say their codes yet. The JSON also has the text
    of the line, and of what kind the proof is: "mended" if a change of that line makes every case right.
    """
    refuse_elsewhere()
    curriculum, out, found = load_curriculum(), console.stdout(), []
    options = CheckOptions(device=device, seed=seed, benchmark=False)
    corpora, chosen = corpora_of(curriculum.pack, named), curriculum.select(names or ("all",))
    folders = [(puzzle, corpus / puzzle.stem / "wrong") for corpus, puzzle in product(corpora, chosen)]
    items = [(puzzle, path) for puzzle, folder in folders for path in sorted(folder.glob("*.py"))]
    with status_line() as say:
        for (puzzle, path), one in zip(items, all_told(items, options, jobs, say), strict=True):
            found.append({**vars(one), "file": shown(path)})
            if not as_json:
                place = f"{puzzle.stem}/{path.stem}{f':{one.line}' if one.line else ''}"
                with no_status():
                    out.print(Text.assemble((place, "bold"), f"  {one.code}"))
                    out.print(indented(Text(harmless(one.says))))
    if as_json:
        console.show_json({"version": 1, "seed": seed, "told": found})
    elif not items:
        out.print(Text(f"There are no wrong kernels yet: they belong into {shown(folders[0][1])}."))


@dev_command.command("check", epilog=example("dev check all", "dev check 3 --matrix docs/kill_matrix.md"))
@names_argument
@corpus_option
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True)
@click.option("--seed", type=SEED, default=1, show_default=True)
@jobs_option
@click.option("--matrix", type=PATH, metavar="FILE", help="Write which case rejects which kernel.")
@json_option
def dev_check(
    names: tuple[str, ...],
    named: tuple[Path, ...],
    device: str,
    seed: int,
    jobs: int,
    matrix: Path | None,
    as_json: bool,
) -> int:
    """Show that all files of a puzzle are what they must be. These are stub, solution, kernels, hints, cases.

    Of several corpora the first is the one whose kernels are counted, compared with the cases, and make the matrix.
    Those of the others must be rejected by name, or pass.

    Exit codes: 0 all is, 1 something is not, 2 usage, 3 a fault of the grader or its environment.
    """
    refuse_elsewhere()
    curriculum = load_curriculum()
    pack, corpora = curriculum.pack, corpora_of(curriculum.pack, named)
    options = CheckOptions(device=device, seed=seed, timeout=60, benchmark=False)
    chosen = curriculum.select(names or ("all",))
    refuse_unknown_hosts(chosen)
    held = product(corpora, chosen)  # the first corpus must hold all, and says what is missing
    places = [(puzzle, one) for one, puzzle in held if one == corpora[0] or (one / puzzle.stem).is_dir()]
    items = [(puzzle, read_corpus(corpus, puzzle, device)) for puzzle, corpus in places]
    from tritonpuzzles.judge.authors import rehearse

    with status_line() as say:
        for puzzle in chosen:
            say(f"{puzzle.label}: trying the emulations of its mistakes")
            rehearse(puzzle, seed)
        proofs = prove(items, options, jobs, say)
    if matrix is not None:
        matrix.write_text(matrix_page(proofs[: len(chosen)], seed), encoding="utf-8")
    asked: list[Asked] = [
        (proof, corpus, list(demands(proof, pack) if corpus == corpora[0] else further_demands(proof)))
        for proof, (_, corpus) in zip(proofs, places, strict=True)
    ]
    if as_json:
        puzzles = [
            as_data(proof, shown(corpus), [asdict(demand) for demand in demanded]) for proof, corpus, demanded in asked
        ]
        console.show_json({"version": 1, "seed": seed, "puzzles": puzzles})
    else:
        for one in asked:
            _print(*one)
    return ExitCode.PASS if all(demand.ok for *_, demanded in asked for demand in demanded) else ExitCode.FAIL


def _print(proof: Proof, corpus: Path, demanded: Sequence[Demand]) -> None:
    out = console.stdout()
    out.print(Text(f"{proof.puzzle.label}, {proof.device}, {shown(corpus)}", "bold"))
    for demand in demanded:
        sign, style = ("✓", "green") if demand.ok else ("✗", "red")
        out.print(item(sign, style, Text(demand.text)))
        for reason in demand.reasons:
            out.print(indented(Text(reason), 4))
