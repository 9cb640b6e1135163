"""Tests of ldp_verified.run.realize."""
