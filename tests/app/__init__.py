"""Tests of the pages of errors."""
