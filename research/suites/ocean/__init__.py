"""The cheapest change of a tree ensemble's decision, beside OCEAN."""
