"""Wires that are filled with an owner's secrets."""

from __future__ import annotations


class FilledWires(dict[str, list[int]]):
    """The private wires of a witness by name, as integers that may be negative.

    The values are weights, blindings and a query: the repr shows names and numbers of values only, so that logs and
    tracebacks hold none of them.
    """

    def __repr__(self) -> str:
        """Show how many values each name has."""
        lengths = ", ".join(f"{name}: {len(values)}" for name, values in self.items())
        return f"FilledWires({lengths})"
