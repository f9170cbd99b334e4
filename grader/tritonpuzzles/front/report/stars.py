"""Stars: ★ is earned, ☆ would be by a prediction, · is neither. What is predicted is never counted as earned."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from tritonpuzzles.front.page.model import Blocks, Gap, Paragraph
from tritonpuzzles.front.report.predicted import prediction, share_words, with_article, yardstick_words
from tritonpuzzles.front.report.speed import share_percent
from tritonpuzzles.front.text import one_line, percent
from tritonpuzzles.front.workspace.progress import Progress
from tritonpuzzles.results.check import Predicted, PuzzleResult

MOST = 3
EARNED, HOLLOW, MISSING = "★", "☆", "·"
STYLES = {EARNED: "bold yellow", HOLLOW: "yellow", MISSING: "dim"}
MEANINGS = {
    HOLLOW: "a star by prediction: a GPU has to time the kernel to earn it",
    MISSING: "a star that is not earned yet: the second and the third are for speed",
}


def star_signs(stars: int, predicted: int = 0) -> str:
    """Return `★★·` for 2, and `★☆☆` for 1 where 3 are predicted."""
    stars = max(0, min(MOST, stars))
    hollow = more_stars(stars, predicted)
    return EARNED * stars + HOLLOW * hollow + MISSING * (MOST - stars - hollow)


def star_text(stars: int, predicted: int = 0) -> Text:
    """Return the same in its colours."""
    return Text.assemble(*((sign, STYLES[sign]) for sign in star_signs(stars, predicted)))


def more_stars(stars: int, predicted: int) -> int:
    """Return how many more than those that are earned a prediction gives."""
    return max(0, min(MOST, predicted) - stars)


def predicted_stars(result: PuzzleResult) -> int:
    """Return the stars that a prediction gives, the earned among them; none where the speed was measured."""
    found = prediction(result)
    return found.stars if found is not None and result.benchmark is None else 0


def star_blocks(result: PuzzleResult) -> Blocks:
    """Return what a right result has earned, and what would earn more; nothing for any other."""
    if not result.passed or not result.stars:
        return []
    signs = star_text(result.stars, predicted_stars(result))
    return [Gap(), Paragraph(Text.assemble(("Stars  ", "bold"), signs, f"  {star_sentence(result)}"), indent=0)]


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
    share = f"{share_percent(found.share_of_yardstick, found.stars_at)} of {yardstick_words(found.yardstick)}"
    following = next((at for at in found.stars_at if found.share_of_yardstick < at), None)
    return f"{start}{share}." if following is None else f"{start}{share}; {percent(following)} earn the next."


def _unmeasured(result: PuzzleResult) -> str:
    """Say what is predicted of the other stars, or what they take."""
    found = prediction(result)
    if found is not None:
        return _by_prediction(found, more_stars(result.stars, found.stars))
    where = "a newer GPU" if any(one.code == "not-timed-here" for one in result.findings) else "a GPU"
    return f"The others are for speed, on {where}."


def _by_prediction(found: Predicted, more: int) -> str:
    """Return `By prediction 2 more on an H200: 98 % of what this puzzle's traffic allows.`"""
    gpu = with_article(found.gpu)
    if found.share_of_yardstick is None:
        return f"No more are predicted on {gpu}: {one_line(found.yardstick)} was never timed there."
    start = f"By prediction {more} more on {gpu}" if more else f"On {gpu} it would earn no more, by prediction"
    following = next((at for at in found.stars_at if found.share_of_yardstick < at), None)
    onward = "" if following is None else f"; {percent(following)} earn the next"
    return f"{start}: {share_words(found, found.share_of_yardstick)}{onward}."


def counted(entries: Iterable[Progress]) -> str:
    """Return `12 of 27 stars, 9 more by prediction`."""
    found = list(entries)
    earned = sum(entry.stars_now for entry in found)
    more = sum(more_stars(entry.stars_now, entry.predicted_now) for entry in found)
    return f"{earned} of {MOST * len(found)} stars{f', {more} more by prediction' if more else ''}"


def meanings(signs: str) -> list[tuple[str, str]]:
    """Return the signs among these that need a word, each with its meaning."""
    return [(sign, meaning) for sign, meaning in MEANINGS.items() if sign in signs]
