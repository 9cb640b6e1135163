"""Tests of ldp_verified.aggregate."""
