"""The student edition: the puzzles of a class as a pack, and a wheel with it, without what gives an answer away."""
