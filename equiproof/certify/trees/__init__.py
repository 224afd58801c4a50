"""Ensembles of trees on the grid of a spec, and certification of their neighborhoods (scheme `trees`)."""
