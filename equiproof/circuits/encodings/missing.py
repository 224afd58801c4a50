"""Values that may be missing: what a spec may say of them."""

from __future__ import annotations

import re
from functools import cache

import msgspec

from equiproof.circuits import names
from equiproof.circuits.encodings.grid import EncodedFeature, Missing
from equiproof.circuits.encodings.interface import EncodingError, named
from equiproof.circuits.tables import read, say

__all__ = ["LISTED", "Missing", "check_missing", "told_as_value"]

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


def told_as_value(feature: EncodedFeature) -> str | None:
    """Return how to mend a feature whose missing value is told by the usual words, and has a value that reads alike.

    None where there is no such value. Verifiers take such a spec: its owner should not draft or import one, since
    people could not tell both apart.
    """
    if isinstance(feature.missing, msgspec.UnsetType):
        return None
    values = {value.lower(): value for value in feature.domain}
    for language, words in _usual_words().items():
        if feature.missing.text(language) is None and words.lower() in values:
            value = values[words.lower()]
            return (
                f"{named(feature)}: empty the cells that say {value!r} and take it out of the domain, or write other "
                f'words into missing, such as "{language}": "{_OTHER_WORDS[language]}": people are told {words!r} of a '
                "missing value"
            )
    return None


_OTHER_WORDS = {"en": "left blank", "de": "nicht ausgefüllt"}
"""Examples of a spec's own words for a missing value."""


@cache
def _usual_words() -> dict[str, str]:
    """Return by language what people are told of a missing value where its feature has no words of its own."""
    return {language: words["span.not_stated"] for language, words in read("words").items()}
