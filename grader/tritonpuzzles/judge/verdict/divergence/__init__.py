"""First divergence: where the variables of a wrong kernel leave the right track, for mistakes that have no name.

A small wrong case is run once more, on the CPU, and its variables are kept. `geometry` and `places` say where each
program was, `tally` and `observed` compare its variables with what is right there, `roles` says which quantity each
follows, and has the sentences, `first` and `causes` say where the first is wrong and why; `words` fills sentences in.
"""
