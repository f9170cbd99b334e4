"""A running notebook: the magics, and what they show. Each does what the command of its name does."""
