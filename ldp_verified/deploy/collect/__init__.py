"""The data side of `ldp-verified collect`: read, randomize, aggregate, compare, plot."""
