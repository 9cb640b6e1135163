"""Tests of ldp_verified.deploy.engines."""
