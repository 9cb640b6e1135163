"""The load test of the collector: `python -m load`."""
