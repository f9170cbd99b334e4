"""First divergence: where the variables of a wrong kernel leave the right track, for mistakes that have no name.

A small wrong case is run once more, on the CPU, and its variables are kept. `geometry` and `outline` say where each
program was, `tally` and `observed` hold its variables against what is right there, `roles` says which quantity each
follows, `first` and `causes` where the first strays and what from; `rows` has the sentences, `words` fills them in.
"""
