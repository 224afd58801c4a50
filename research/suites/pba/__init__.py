"""Persistent bias: the tables of its paper, with our own models."""
