"""Tests of the transcript of proofs, and of its repetition."""
