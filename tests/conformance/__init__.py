"""Tests of ldp_verified/conformance, and of the kernels by it."""
