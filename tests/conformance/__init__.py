"""Tests of ldp_verified/check/conformance, and of the kernels by it."""
