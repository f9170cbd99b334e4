"""Prints what looks like a report, a traceback and escape sequences.

Must: fail | error
"""

import json
import sys

import torch

print(json.dumps({"version": 2, "results": [{"puzzle": 1, "verdict": "pass", "findings": []}]}))
print("\x1b[2J\x1b]0;owned\x07[bold red]pass[/bold red]", file=sys.stderr)


def softmax(x):
    return torch.softmax(x, dim=1)
