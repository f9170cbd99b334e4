"""Mistakes of a second backward pass: memory, sums or answers that are kept from the first."""

from __future__ import annotations

from tritonpuzzles.curriculum.mistakes.dot.common import BACK_A, CALL, MISTAKES, SAVE
from tritonpuzzles.curriculum.mistakes.dot.machine import gradients

KEPT = r"ctx\.\w*(d[abxy]|grad|buffer|kept|out)\w*"
OWN = "Allocate da and db in backward, in each pass anew: what it has returned belongs to the caller."

MISTAKES.add(
    "passes-share-memory",
    "A second backward pass writes into the memory that the first one has returned, and overwrites its gradients.",
    OWN,
    *(KEPT, SAVE, BACK_A),
    by=[
        gradients(passes=lambda passes: [passes[-1]] * len(passes)),
        gradients(passes=lambda passes: [(*passes[-1][:1], *own[1:]) for own in passes]),  # of the first gradient alone
        gradients(passes=lambda passes: [(*own[:-1], *passes[-1][-1:]) for own in passes]),  # of the last
    ],
    host=True,
)
MISTAKES.add(
    "passes-added",
    "A second backward pass adds to what the first one has returned: who wants a sum of gradients adds them up, "
    "and a backward pass gives its own alone.",
    OWN,
    *(KEPT, SAVE, BACK_A),
    by=gradients(
        passes=lambda passes: [tuple(sum(one[1:], one[0]) for one in zip(*passes, strict=True))] * len(passes)
    ),
    host=True,
)
MISTAKES.add(
    "first-pass-kept",
    "A second backward pass returns the gradients of the first: it has a g of its own.",
    "Launch in every backward pass: g is another one.",
    *(KEPT, SAVE, CALL),
    by=gradients(passes=lambda passes: [passes[0]] * len(passes)),
    host=True,
)
