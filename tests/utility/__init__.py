"""Tests of tail bounds and sample sizes."""
