"""Tests of ldp_verified.realize."""
