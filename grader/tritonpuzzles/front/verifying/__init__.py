"""Verify any function: from Python, pytest and the command line."""
