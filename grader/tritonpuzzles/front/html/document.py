"""The frame of a page that stands for itself: one file that loads nothing, and in which nothing foreign can run."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from markupsafe import Markup

# Styles stand in the file itself, also at single elements (the bars of the report); pictures are data.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_PAGE = Markup(
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    '<meta http-equiv="Content-Security-Policy" content="{}">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    '<meta name="color-scheme" content="light dark">\n'
    "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n{}\n</main>\n{}</body>\n</html>\n"
)


def document(title: str, body: Markup, css: str = "", script: str = "") -> str:
    """Return a whole page.

    Args:
        title: escaped.
        body: what stands in it.
        css: that its own parts need, after what all pages share.
        script: of ours; the policy names its hash, so that no other one runs.
    """
    style = Markup(Path(__file__).with_name("page.css").read_text(encoding="utf-8") + css)
    element = Markup("<script>{}</script>\n").format(Markup(script)) if script else Markup("")
    return str(_PAGE.format(Markup(policy(script)), title, style, body, element))


def policy(script: str = "") -> str:
    """Return what a page may do: run nothing, or one script."""
    if not script:
        return POLICY
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return f"{POLICY}; script-src 'sha256-{digest}'"
