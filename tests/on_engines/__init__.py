"""Tests in an environment of an engine: `make test-engines`; `make test` does not collect them."""
