"""Tests of ldp_verified/app/cli."""
