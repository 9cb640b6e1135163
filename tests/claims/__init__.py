"""Tests of the ledger of claims."""
