"""Tests by folder of the package: kernels/test_bits.py tests ldp_verified/run/kernels/bits.py."""
