"""Speed that a model predicts for a GPU, present or not, always apart from measured speed; and stars.

★ is earned, ☆ would be by a prediction, · is neither. What is predicted is never counted as earned.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from rich.text import Text

from tritonpuzzles.curriculum.limits import TRAFFIC
from tritonpuzzles.curriculum.record import Puzzle
from tritonpuzzles.curriculum.registry import load_curriculum
from tritonpuzzles.front.page.model import Block, Blocks, Gap, Heading, Paragraph, View
from tritonpuzzles.front.report.findings import Quotes, note_item
from tritonpuzzles.front.report.naming import line_anchor
from tritonpuzzles.front.report.speed import ALLOWED, bars, share_percent, title_of
from tritonpuzzles.front.text import one_line, percent, significant, sized
from tritonpuzzles.front.workspace.progress import Progress
from tritonpuzzles.results.check import Predicted, PuzzleResult
from tritonpuzzles.results.speed import Benchmark
from tritonpuzzles.results.words import plural

STYLE = "cyan"  # never used for bars of measured speed
SPELLED = frozenset("AEFHILMNORSX")  # letters whose names begin with a vowel: an H200, a T4
MOST = 3
EARNED, HOLLOW, MISSING = "★", "☆", "·"
STYLES = {EARNED: "bold yellow", HOLLOW: "yellow", MISSING: "dim"}
MEANINGS = {
    HOLLOW: "a star by prediction: a GPU has to time the kernel to earn it",
    MISSING: "a star that is not earned yet: the second and the third are for speed",
}


def prediction(result: PuzzleResult) -> Predicted | None:
    """Return the prediction for a right result; `None` for any other result, or without a predicted rate."""
    found = result.predicted
    return found if found is not None and found.rate is not None and result.passed else None


def predicted_blocks(result: PuzzleResult, view: View) -> Blocks:
    """Return the section on predicted speed, or why there is none; nothing if the file fails or no GPU was chosen."""
    found = result.predicted
    if found is None or not result.passed:
        return []
    heading = Heading(*titled(found))
    if found.rate is None:
        return [heading, Paragraph(one_line(found.problem or ""))]
    rates = {"yours": found.rate, **({"copy": found.copy_gb_per_s} if found.unit == "GB/s" else _library(found))}
    shown = bars(rates, found.unit, STYLE, view, _rounded, hatched=True)
    blocks: list[Block] = [heading, shown, Paragraph(sentence(found))]
    if found.why is not None:
        anchor = partial(line_anchor, result) if view.linked else None
        blocks.append(note_item(found.why, Quotes(result.file, anchor)))
    return blocks


def titled(found: Predicted) -> tuple[str, str]:
    """Return what is predicted, and of what: `Bandwidth, predicted`, `H200, 1024 x 65536 float32, about 0.21 ms`."""
    about = f"{one_line(found.gpu)}, {sized(found.shape, found.dtype)}"
    if found.microseconds is not None:
        about += f", about {significant(found.microseconds / 1000, 2)} ms"
    return f"{title_of(found.unit)}, predicted", about


def sentence(found: Predicted) -> str:
    """Return the rate, its shares, and how far to trust them.

    `About 2,710 GB/s, 66 % of a copy, 98 % of what this puzzle's traffic allows; 9 of 10 predictions are within 12 %.`
    """
    parts = [f"About {rate_words(found)}"]
    if found.share_of_copy is not None:
        parts.append(f"{percent(found.share_of_copy)} of a copy")
    if found.tensor_tflop_per_s:
        parts.append(f"{percent((found.rate or 0.0) / found.tensor_tflop_per_s)} of what its tensor cores can do")
    if found.share_of_yardstick is not None:
        parts.append(share_words(found, found.share_of_yardstick))
    trust = f"; 9 of 10 predictions are within {percent(found.band)}" if found.band else ""
    return f"{', '.join(parts)}{trust}."


def rate_words(found: Predicted) -> str:
    """Return `2,710 GB/s`, with no more digits than such a number deserves."""
    return f"{_rounded(found.rate or 0.0)} {one_line(found.unit)}"


def share_words(found: Benchmark | Predicted, share: float) -> str:
    """Return `98 % of what this puzzle's traffic allows`, `82 % of cuBLAS`."""
    yardstick = ALLOWED if found.yardstick == TRAFFIC else one_line(found.yardstick)
    return f"{share_percent(share, found.stars_at)} of {yardstick}"


def _share_and_next(found: Benchmark | Predicted, share: float) -> str:
    """Return `share_words` and, if there is a star above the share, what earns it: `...; 92 % earn the next.`"""
    following = next((at for at in found.stars_at if share < at), None)
    return f"{share_words(found, share)}{'' if following is None else f'; {percent(following)} earn the next'}."


def with_article(gpu: str) -> str:
    """Return `an H200`, `a T4`."""
    name = one_line(gpu)
    return f"{'an' if name[:1] in SPELLED else 'a'} {name}"


def _library(found: Predicted) -> dict[str, float]:
    """Return the rate of a library on that GPU, if it was measured, and the data sheet's rate of the tensor cores."""
    reached = {} if found.yardstick_rate is None else {one_line(found.yardstick): found.yardstick_rate}
    return {**reached, "tensor cores": found.tensor_tflop_per_s or 0.0}


def _rounded(value: float) -> str:
    """Return three digits: `2,710` for 2,706."""
    return significant(float(f"{value:.3g}"))


def most_stars(puzzle: Puzzle) -> int:
    """Return how many stars there are to earn: of a puzzle that no benchmark times, the one for a right result."""
    return MOST if puzzle.benchmark is not None else 1


def star_signs(stars: int, predicted: int = 0, most: int = MOST) -> str:
    """Return `★★·` for 2, `★☆☆` for 1 where 3 are predicted, and `★` for 1 of 1."""
    stars = max(0, min(most, stars))
    hollow = more_stars(stars, min(most, predicted))
    return EARNED * stars + HOLLOW * hollow + MISSING * (most - stars - hollow)


def star_text(stars: int, predicted: int = 0, most: int = MOST) -> Text:
    """Return `star_signs` in their colours."""
    return Text.assemble(*((sign, STYLES[sign]) for sign in star_signs(stars, predicted, most)))


def more_stars(stars: int, predicted: int) -> int:
    """Return how many stars a prediction adds to the earned ones."""
    return max(0, min(MOST, predicted) - stars)


def predicted_stars(result: PuzzleResult) -> int:
    """Return the stars that a prediction gives, the earned among them; none where the speed was measured."""
    found = prediction(result)
    return found.stars if found is not None and result.benchmark is None else 0


def star_blocks(result: PuzzleResult) -> Blocks:
    """Return the stars that a right result has earned, and what would earn more.

    Nothing for any other result, or if the puzzle has no stars for speed.
    """
    if not result.passed or not result.stars or stars_of(result) == 1:
        return []
    signs = star_text(result.stars, predicted_stars(result))
    return [Gap(), Paragraph(Text.assemble(("Stars  ", "bold"), signs, f"  {star_sentence(result)}"), indent=0)]


def stars_of(result: PuzzleResult) -> int:
    """Return how many stars a result's puzzle in the open pack has."""
    return next((most_stars(one) for one in load_curriculum().puzzles if one.slug == result.slug), MOST)


def star_sentence(result: PuzzleResult) -> str:
    """Return the reason: `2 of 3: 88 % of what this puzzle's traffic allows; 92 % earn the next.`"""
    start = f"{result.stars} of {MOST}: "
    found = result.benchmark
    if found is None:
        return f"{start}the result is right. {_unmeasured(result)}"
    if found.labels:
        return f"{start}the result is right. A timing that is {one_line(found.labels[-1])} earns no more."
    if found.share_of_yardstick is None:
        return f"{start}the result is right. Speed is measured by {one_line(found.yardstick)}, which is not here."
    return f"{start}{_share_and_next(found, found.share_of_yardstick)}"


def _unmeasured(result: PuzzleResult) -> str:
    """Return `By prediction 2 more on an H200: 98 % of cuBLAS.`, or what the other stars take."""
    found = prediction(result)
    if found is None:
        where = "a newer GPU" if any(one.code == "not-timed-here" for one in result.findings) else "a GPU"
        return f"The others are for speed, on {where}."
    gpu, more = with_article(found.gpu), more_stars(result.stars, found.stars)
    if found.share_of_yardstick is None:
        return f"No more are predicted on {gpu}: {one_line(found.yardstick)} was never timed there."
    start = f"By prediction {more} more on {gpu}" if more else f"On {gpu} it would earn no more, by prediction"
    return f"{start}: {_share_and_next(found, found.share_of_yardstick)}"


def counted(entries: Iterable[tuple[Puzzle, Progress]]) -> str:
    """Return `12 of 27 stars, 9 more by prediction`."""
    found = list(entries)
    earned, most = sum(entry.stars_now for _, entry in found), sum(most_stars(puzzle) for puzzle, _ in found)
    more = sum(more_stars(entry.stars_now, entry.predicted_now) for _, entry in found)
    return f"{earned} of {plural(most, 'star')}{f', {more} more by prediction' if more else ''}"


def meanings(signs: str) -> list[tuple[str, str]]:
    """Return the signs among these that need a word, each with its meaning."""
    return [(sign, meaning) for sign, meaning in MEANINGS.items() if sign in signs]
