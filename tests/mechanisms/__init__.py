"""Tests of ldp_verified.mechanisms."""
