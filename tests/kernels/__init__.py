"""Tests of ldp_verified/kernels."""
