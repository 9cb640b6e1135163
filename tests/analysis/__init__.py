"""Tests of ldp_verified.analysis."""
