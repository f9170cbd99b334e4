"""One decoder for all data from outside: records, the wire, evidence, progress. Imports only the standard library."""
