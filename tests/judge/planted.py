"""An engine with code of its own in it, as a hole in the check of a kernel's text would let in."""

from __future__ import annotations

from pathlib import Path

# Python runs it in every process; only that of an engine has a first case to run.
SITE = """
import importlib.util, sys
from importlib.abc import MetaPathFinder

class Planted(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != "tritonpuzzles.engine.session":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def loaded(module):
            load(module)
            run = module.Session.run

            def escaped(session, index, written, texts):
                if index == 0:
                    exec(DEEDS, {"session": session})
                run(session, index, written, texts)

            module.Session.run = escaped

        spec.loader.exec_module = loaded
        return spec

sys.meta_path.insert(0, Planted())
"""


def plant(folder: Path, deeds: str) -> Path:
    """Return a folder that, on PYTHONPATH, has every engine run some code before its first case.

    Args:
        folder: made here.
        deeds: the code; `session` is the engine's.
    """
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(f"DEEDS = {deeds!r}\n{SITE}", encoding="utf-8")
    return folder
