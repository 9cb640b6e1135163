"""Tests of ldp_verified/app/report."""
