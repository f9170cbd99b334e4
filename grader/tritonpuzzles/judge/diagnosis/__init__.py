"""Proven causes: a cause is reported for a wrong kernel only after it has been tried on that kernel."""
