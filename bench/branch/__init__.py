"""Scheme `branch` measured: the paper's models, larger ones, and those of Fairify."""
