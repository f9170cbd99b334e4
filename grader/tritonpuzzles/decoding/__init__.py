"""One decoder for all data from outside: records, the wire, evidence, progress. A leaf: the standard library alone."""
