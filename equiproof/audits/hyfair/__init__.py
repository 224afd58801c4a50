"""Discrimination clusters (HyFair, arXiv 2512.23769): how many distinct outcomes protected values alone give."""
