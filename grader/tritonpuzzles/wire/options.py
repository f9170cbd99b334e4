"""The options that a launch may have: a short list, numbers and truth values alone.

Triton takes more: files that replace what was compiled, libraries, options of ptxas. What they say nobody has read.
Free of torch and triton.
"""

from __future__ import annotations

from typing import Any

Option = int | bool
NUMBERS = {"num_warps": (1, 1024), "num_stages": (0, 64), "num_ctas": (1, 64), "maxnreg": (1, 1024)}
FLAGS = ("enable_fp_fusion", "launch_cooperative_grid", "launch_pdl")
TAKEN = (*NUMBERS, *FLAGS)


class OptionError(ValueError):
    """A launch option that is not taken; the message is a clause."""


def read_option(name: str, value: Any) -> Option:
    """Return an option's value.

    Raises:
        OptionError: there is no such option, or it has no such value.
    """
    if name in FLAGS:
        if type(value) is bool or (type(value) is int and value in (0, 1)):
            return bool(value)
        raise OptionError(f"{name} is {_shown(value)}, and may be True or False")
    if name not in NUMBERS:
        raise OptionError(f"it has the option {name[:60]}; {', '.join(TAKEN)} are taken")
    least, most = NUMBERS[name]
    if type(value) is not int or not least <= value <= most:
        raise OptionError(f"{name} is {_shown(value)}, and may be a whole number from {least} to {most:,}")
    return value


def read_options(options: dict[str, Any]) -> dict[str, Option]:
    """Return a launch's options; raises OptionError for one that is not taken."""
    return {name: read_option(name, value) for name, value in options.items()}


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
