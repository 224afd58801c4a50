"""Persistent bias: who is decided with more confidence because of a sensitive value, in all of a neighborhood."""
