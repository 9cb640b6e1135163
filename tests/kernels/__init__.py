"""Tests of ldp_verified/run/kernels."""
