"""Discrimination clusters of twenty published networks: the tables of the HyFair paper, on stated domains."""
