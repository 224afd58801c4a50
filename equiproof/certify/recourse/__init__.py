"""Recourse: the cheapest allowed change after which a model grants for every listed value, or that none helps."""
