"""Tests of ldp_verified.engines."""
