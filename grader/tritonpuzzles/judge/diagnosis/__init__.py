"""Closer looks at wrong values that nothing explains yet: what would give them, and what would make them right."""
