"""Exact certification of quantised networks: search, evidence and its plaintext checker."""
