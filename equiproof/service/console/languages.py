"""Words of the console's pages that are there in English and German: of each pair, the text in a page's language."""

from __future__ import annotations

from collections.abc import Mapping

from equiproof.circuits.tables import LANGUAGES, spoken

Pair = tuple[str, str]
"""A text in each of the languages, in their order."""


def language_of(text: str) -> str:
    """Return a language that there is: the one that is named, else the one that is spoken."""
    return text if text in LANGUAGES else spoken()


def said(pair: Pair, language: str) -> str:
    """Return a text in a language."""
    return pair[LANGUAGES.index(language)]


def texts(pairs: Mapping[str, Pair], language: str) -> dict[str, str]:
    """Return the texts of a page in a language, by their names."""
    return {name: said(pair, language) for name, pair in pairs.items()}
