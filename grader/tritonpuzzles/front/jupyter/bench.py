"""`%bench`: the command, with its plot below the table."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path

from tritonpuzzles.front.commands.bench import command
from tritonpuzzles.front.jupyter.display import show_png
from tritonpuzzles.front.notebook.line import parsed, run, words


def bench(line: str) -> None:
    """Time a kernel on a GPU: `%bench 3`, with the options of `tritonpuzzles bench`."""
    params = parsed(command, "%bench", line)
    if params["plot"] or params["as_json"] or importlib.util.find_spec("matplotlib") is None:
        return run(["bench", *words(line)])
    with tempfile.TemporaryDirectory(prefix="tritonpuzzles-") as folder:
        plot = Path(folder) / "bench.png"
        run(["bench", *words(line), "--plot", str(plot)])
        if plot.exists():
            show_png(plot.read_bytes())
