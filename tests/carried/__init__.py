"""Tests of what the wheel carries beside the code."""
