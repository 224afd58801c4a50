"""Mutants: the circuit with one small change each, and which of its tests notice."""
