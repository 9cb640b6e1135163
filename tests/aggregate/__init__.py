"""Tests of ldp_verified.run.aggregate."""
