"""Makes folders within folders, 2,000 deep, in its working directory.

Must: fail | error
"""

import os

import torch


def dig():
    for _ in range(2_000):
        os.mkdir("d")
        os.chdir("d")


if "tritonpuzzles-attacked-" in os.getcwd():
    dig()


def softmax(x):
    return torch.softmax(x, dim=1)
