"""Tests of the claims register."""
