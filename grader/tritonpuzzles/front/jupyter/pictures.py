"""A picture under a cell: light or dark as the notebook's theme, told in words to those who cannot see it.

The light one stands in the image itself, the dark one in a style sheet. Where a sanitizer takes the style away, or only
PNG is shown, the light one is left.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

from markupsafe import Markup

# JupyterLab, VS Code and others say on <html> or <body> which theme they have; else the system's holds.
_DARK = '[data-jp-theme-light="false"], .vscode-dark, [data-theme="dark"]'
_UNSAID = "html:not([data-theme]) body:not([data-jp-theme-light], .vscode-light, .vscode-dark, [data-theme])"
_HTML = Markup("""<style>
:is({dark}) .{name} {{ content: url("{image}"); }}
@media screen and (prefers-color-scheme: dark) {{ {unsaid} .{name} {{ content: url("{image}"); }} }}
</style>
<img class="{name}" src="{light}" alt="{words}" style="max-width: 100%">""")


def show_picture(light: bytes, dark: bytes, words: str) -> None:
    """Show a picture under the cell.

    Args:
        light: PNG for a light theme.
        dark: PNG for a dark one.
        words: what it shows.
    """
    from IPython.display import display

    bundle = {
        "text/html": picture_html(light, dark, words),
        "image/png": b64encode(light).decode(),
        "text/plain": words,
    }
    display(bundle, raw=True)


def picture_html(light: bytes, dark: bytes, words: str) -> str:
    """Return a picture as HTML with a style of its own; arguments as of `show_picture`."""
    name = f"tp-picture-{sha256(dark).hexdigest()[:12]}"
    return str(
        _HTML.format(
            dark=Markup(_DARK), unsaid=Markup(_UNSAID), name=name, image=_data(dark), light=_data(light), words=words
        )
    )


def _data(png: bytes) -> Markup:
    return Markup("data:image/png;base64,{}").format(b64encode(png).decode())
