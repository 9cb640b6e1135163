"""Tests in the package's own folders: kernels/test_bits.py tests ldp_verified/run/kernels/bits.py."""
