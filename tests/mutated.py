"""Documents of JSON or TOML with one thing wrong: a key removed, added or renamed, a value of another type or size."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

GARBAGE: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**63,
    1 << 200,
    -0.5,
    1.5,
    "",
    "x",
    "n",
    "\ud800",
    "x" * 5000,
    [],
    [1],
    ["x"],
    [[]],
    [{}],
    {},
    {"x": 1},
    {"x": {"x": []}},
]


def places(data: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the place of every value in a document, the document's own left out."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [found for key, item in inner for found in [(*place, key), *places(item, (*place, key))]]


@st.composite
def mutated(draw: st.DrawFn, document: Any, garbage: list[Any] | None = None) -> Any:
    """Return a document with one to three things changed."""
    data = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        found = places(data)
        if not found:
            return data
        *outer, last = draw(st.sampled_from(found))
        node = data
        for key in outer:
            node = node[key]
        value = copy.deepcopy(draw(st.sampled_from(garbage or GARBAGE)))
        match draw(st.sampled_from(("replace", "replace", "remove", "add", "rename", "double", "more"))):
            case "replace":
                node[last] = value
            case "remove":
                del node[last]
            case "add" if isinstance(node, dict):
                node[draw(st.sampled_from(("x", "name", "shape", "__x__", "value", "kind")))] = value
            case "add":
                node.append(value)
            case "rename" if isinstance(node, dict):
                node[f"{last}s"] = node.pop(last)
            case "double" if isinstance(node, list):
                node.append(copy.deepcopy(node[last]))
            case "more" if isinstance(node[last], (int, float)):
                node[last] = node[last] * 2 + 1
            case _:
                pass
    return data
