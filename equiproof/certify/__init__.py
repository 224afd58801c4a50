"""Exact certification of quantised networks in plaintext: search, evidence, and the checker of evidence."""
