"""Planted-wrong proofs and tables: Coq's kernel, or what surrounds it, has to reject each."""
