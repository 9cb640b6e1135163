"""Tests of ldp_verified.generate."""
