"""Tests of ldp_verified/cli."""
