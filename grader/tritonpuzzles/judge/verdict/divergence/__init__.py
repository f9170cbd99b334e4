"""First divergence: where the variables of a wrong kernel first become wrong, for mistakes without a name.

A small wrong case runs again on the CPU, with its variables recorded. `geometry` and `places` say where each program
worked; `tally` and `observed` compare its variables with the right values. `roles` says which quantity each one is, and
has the sentences, which `words` completes. `first` and `causes` find the first wrong variable and why.
"""
