"""Scheme `branch` measured: the paper's models, larger ones, Fairify's, how cost grows, and a race of searches."""
