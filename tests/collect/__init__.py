"""Tests of ldp_verified/deploy/collect."""
