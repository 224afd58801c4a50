"""Recourse: the cheapest allowed change after which a model grants whatever the sensitive values are, or that none helps."""
