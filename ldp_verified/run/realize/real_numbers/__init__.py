"""Randomizers of numbers: windows, signs and noise, on grids."""
