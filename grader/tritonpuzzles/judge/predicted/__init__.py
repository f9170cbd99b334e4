"""Predict a correct kernel's speed on a GPU that need not be present, from its memory traffic and machine code."""
