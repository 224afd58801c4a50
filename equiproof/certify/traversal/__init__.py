"""Scheme `traversal` in plaintext: enumeration of polytopes, exact GeoCert, and the checker of its evidence."""
