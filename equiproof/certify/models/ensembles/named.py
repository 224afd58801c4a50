"""The values of categories as a library keeps them, in the order of their codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from equiproof.certify.models.importing.errors import ModelImportError, shown


def codes_by_text(values: Sequence[Any], where: str) -> dict[str, int]:
    """Return the code of each value by its text: whole numbers may be floats, as beside missing values.

    Raises ModelImportError for values of another kind, and for two that have one text.
    """
    codes = {_text(value, where): code for code, value in enumerate(values)}
    if len(codes) != len(values):
        raise ModelImportError(f"{where}: give each category a name of its own and train again: two have the same")
    return codes


def _text(value: Any, where: str) -> str:
    """Return one value as text."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ModelImportError(
            f"{where}: turn it into texts or whole numbers and train again: a category of it is {shown(repr(value))}"
        )
    return str(value)
