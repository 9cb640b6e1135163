"""One randomizer at work: tables as integers, programs, kernels, reports, states and estimates.

Nothing here needs sympy or a spec. A newcomer's walk goes through `mechanisms` (the classes),
`realize` (their tables), `kernels` (their words) and `aggregate` (states and estimates).
"""
