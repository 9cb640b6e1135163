"""Tests of ldp_verified/report."""
