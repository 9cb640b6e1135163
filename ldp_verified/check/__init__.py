"""Checks of what exists: our code, others' code, what documents claim, and recorded proofs."""
