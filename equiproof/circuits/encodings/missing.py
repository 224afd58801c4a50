"""Values that may be missing: what a spec may say of them."""

from __future__ import annotations

import re

import msgspec

from equiproof.circuits import names
from equiproof.circuits.encodings.grid import EncodedFeature, Missing
from equiproof.circuits.encodings.interface import EncodingError, named
from equiproof.circuits.tables import say

__all__ = ["LISTED", "Missing", "check_missing"]

LISTED = "missing"
"""The value of a sensitive category that stands for a missing one."""


def check_missing(feature: EncodedFeature) -> None:
    """Raise EncodingError for a feature that may not be missing, or not be called so; its line names the feature."""
    if isinstance(feature.missing, msgspec.UnsetType):
        return
    name = named(feature)
    if feature.sensitive:
        raise EncodingError(say("spec.missing_misplaced", feature=name))
    if feature.missing.mark is False:
        raise EncodingError(say("spec.mark_is_true", feature=name))
    for text in feature.missing.words:
        if wrong := names.complaint(text):
            raise EncodingError(f"{name}: missing '{names.escaped(text)}' {wrong.message}")
        # What could be read as a value says the opposite.
        if text in feature.domain or re.search("[0-9]", text):
            raise EncodingError(say("spec.missing_like_value", feature=name, text=repr(text)))
