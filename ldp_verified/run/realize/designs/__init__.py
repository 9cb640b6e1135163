"""Randomizers of one of k values: one module for each shape of report."""
