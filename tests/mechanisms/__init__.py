"""Tests of ldp_verified.run.mechanisms."""
