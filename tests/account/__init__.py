"""Tests of ldp_verified.account."""
