"""Tests of ldp_verified.protocols."""
