"""Tests of ldp_verified/collect."""
