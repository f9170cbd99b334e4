"""`tritonpuzzles words [WORD]`: what the words of stories, hints and reports mean."""

from __future__ import annotations

import click

from tritonpuzzles.front import console
from tritonpuzzles.front.glossary import find, page
from tritonpuzzles.front.options import example
from tritonpuzzles.front.page.terminal import prose


@click.command(epilog=example("words", "words mask", "words lane, mask"))
@click.argument("words", metavar="[WORD]", nargs=-1)
def command(words: tuple[str, ...]) -> None:
    """Explain a word of the stories and reports, or show the whole glossary."""
    console.stdout().print(prose(explained(" ".join(words))))


def explained(words: str) -> str:
    """Return the entries of some words in Markdown; the whole glossary without a word.

    Raises:
        FrontError: for a word that has none.
    """
    return "\n\n".join(entry.text for entry in find(words)) or page()
