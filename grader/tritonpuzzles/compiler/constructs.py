"""Parts of Python that a kernel cannot use, by their name in the syntax tree: cause and next step."""

from __future__ import annotations

SYNTAX: dict[str, tuple[str, str]] = {
    "Break": ("`break` cannot leave a loop in a kernel", "Put its condition into a `while`, or use a mask."),
    "Continue": ("`continue` cannot skip an iteration in a kernel", "Put the rest of the body under an `if`."),
    "Dict": ("a kernel cannot build a dict", "Use one variable for each entry."),
    "Set": ("a kernel cannot build a set", "Use variables or a tuple."),
    "Lambda": ("a kernel cannot define a lambda", "Write the expression out, or move it to a @triton.jit function."),
    "Try": ("a kernel cannot catch exceptions with `try`", "Nothing raises on a GPU; mask the lanes not to be loaded."),
    "Raise": ("a kernel cannot raise an exception", "Use tl.static_assert, or tl.device_assert while debugging."),
    "DictComp": ("a kernel cannot build a dict", "Use one variable for each entry."),
    "SetComp": ("a kernel cannot build a set", "Use variables or a tuple."),
    "GeneratorExp": ("a kernel cannot run a generator expression", "Write a loop, or use tl.sum or tl.max on a tile."),
    "Import": ("a kernel cannot import", "Move the import to the top of the file."),
    "ImportFrom": ("a kernel cannot import", "Move the import to the top of the file."),
    "Global": ("a kernel cannot use `global`", "Pass the value as a parameter."),
    "Nonlocal": ("a kernel cannot use `nonlocal`", "Pass the value as a parameter."),
    "ClassDef": ("a kernel cannot define a class", "Use variables or a tuple."),
    "Yield": ("a kernel cannot yield", "Store the values with tl.store."),
    "Delete": ("a kernel cannot delete a name", "Leave the `del` out."),
    "NamedExpr": ("a kernel cannot assign with `:=`", "Assign on a line of its own."),
    "Match": ("a kernel cannot use `match`", "Use `if` and `elif`."),
    "Starred": ("a kernel cannot unpack with `*` here", "Write the arguments out."),
}
