"""Filling of witnesses: the integers of every private wire, from a statement's secrets and its evidence."""
