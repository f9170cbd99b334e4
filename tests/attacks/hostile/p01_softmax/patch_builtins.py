"""Replaces built-in functions that a check may use: isinstance, sum, len of a list of findings.

Must: fail | error
"""

import builtins

import torch


class Nothing(list):
    """A list that takes everything and holds nothing."""

    def append(self, item):
        pass

    def __iadd__(self, items):
        return self


builtins.any = lambda items: False
builtins.list = Nothing


def softmax(x):
    return torch.softmax(x, dim=1)
