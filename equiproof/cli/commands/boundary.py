"""Lines of `equiproof certify` about the distances around one applicant, from the certified radius to the boundary."""

from __future__ import annotations

from typing import Any

from equiproof.cli.commands.common import in_words


def inside_out(reached: str, radius: str, ends: dict[str, Any], flip: str | None, *, jumps: bool = False) -> list[str]:
    """Return lines in ascending order of distance.

    `reached` is the certified radius over grid points, `radius` as it is stated; `ends` has the lower and upper end of
    the boundary's distance with a witness, as :mod:`equiproof.certify.documents` writes them. With `jumps` the score is
    not continuous, and the decision ends just beyond the boundary.
    """
    lower = ends["lower"]
    upper = ends["upper"]
    lines = [
        "  from the inside out:",
        f"    certified                      {radius} ({reached} over the grid's points)",
        f"    the boundary of the decision   {span(lower, upper)}",
    ]
    if flip is not None:
        lines.append(f"    first point seen that flips    {flip}")
    if ends["witness"] is not None:
        known = lower["squared"] == upper["squared"]
        sensitive = in_words(ends["witness"]["sensitive"])
        if jumps:
            place = "just beyond the boundary" if known else "beyond its far end at the latest"
            lines.append(f"  {place} the decision no longer holds for {sensitive}")
        else:
            place = "on the boundary" if known else "at its far end at the latest"
            lines.append(f"  {place} the model decides neither way for {sensitive}")
    return lines


def span(lower: dict[str, str], upper: dict[str, str] | None) -> str:
    """Write the interval, as one number where both ends agree."""
    if upper is None:
        return f"at least {lower['radius']}"
    if lower["squared"] == upper["squared"]:
        return lower["radius"]
    return f"between {lower['radius']} and {upper['radius']}"
