"""What an instructor may want to look at in a file, by its text alone: what reaches for the machine. Never a verdict.

The sandbox refuses most of it. A note says that somebody wrote it, not that it ran.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

REACHES = "reaches-out"
DEADLINE = "deadline"
MOST = 4  # names in the sentence
MODULES = frozenset((
    "asyncio", "builtins", "cffi", "ctypes", "ftplib", "gc", "http", "importlib", "inspect", "marshal", "mmap",
    "multiprocessing", "pickle", "pty", "requests", "resource", "shutil", "signal", "smtplib", "socket", "ssl",
    "subprocess", "threading", "tritonpuzzles", "urllib",
))  # fmt: skip
CALLS = frozenset((
    "os.system", "os.popen", "os.fork", "os.kill", "os.remove", "os.unlink", "os.rename", "os.replace", "os.rmdir",
    "os.symlink", "os.link", "os.chmod", "os.walk", "os.scandir", "os.listdir", "os._exit", "sys.exit", "sys.settrace",
    "eval", "exec", "compile", "open", "__import__", "exit", "quit", "input",
))  # fmt: skip
PREFIXES = ("os.exec", "os.spawn", "os.posix_spawn", "sys._")


def reaching(text: bytes) -> tuple[tuple[str, str], ...]:
    """Return a flag for what in a file's text reaches for files, processes, the network or the grader; else nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a file's own backslashes
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    found: dict[str, int] = {}
    for name, line in _names(tree):
        found.setdefault(name, line)
    if not found:
        return ()
    shown = ", ".join(f"{name} (line {line})" for name, line in [*found.items()][:MOST])
    more = f" and {len(found) - MOST} more" if len(found) > MOST else ""
    return ((REACHES, f"The text names what no kernel needs: {shown}{more}."),)


def _names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield each such name with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((alias.name, node.lineno) for alias in names if alias.name.partition(".")[0] in MODULES)
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in MODULES:
                yield module, node.lineno
            case ast.ImportFrom(module=("os" | "sys") as module, names=names):
                yield from (
                    (f"{module}.{alias.name}", node.lineno) for alias in names if _is_call(f"{module}.{alias.name}")
                )
            case ast.Call(func=ast.Name(id=name)) if name in CALLS:
                yield name, node.lineno
            case ast.Attribute(value=ast.Name(id=("os" | "sys") as module), attr=name) if _is_call(f"{module}.{name}"):
                yield f"{module}.{name}", node.lineno


def _is_call(name: str) -> bool:
    return name in CALLS or name.startswith(PREFIXES)
