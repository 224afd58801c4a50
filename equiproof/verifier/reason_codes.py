"""The owner's table of principal reasons: for each feature that can change, the words and the code of its reason.

The reasons for a refusal are the features of its ways, in the order of their cost: features that only help together
are one reason. Each has the box certificate of its way behind it, and none is given without one. A feature stands in
one reason at most, that of its cheapest way: a way that shares one with a way before it adds no reason, since what is
left of it would have no certificate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

import msgspec

from equiproof.circuits.canonical import DocumentError, parse
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.kinds import KINDS, kind_of, mistaken_for
from equiproof.circuits.names import complaint, quoted
from equiproof.circuits.spec import Spec
from equiproof.verifier.words import Words, isolated

FORMAT = ("equiproof-reason-codes", 1)

MOST = 4
"""The most reasons of one refusal: comment 9(b)(2)-1 of Regulation B finds more of no use."""


class ReasonCodesError(ValueError):
    """A table of reasons that does not fit its form or the spec; one line naming the feature."""

    exit_code: ClassVar[int] = MISUSED


class Reason(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words of a reason in English and German, and the owner's own code."""

    en: str
    de: str = ""
    code: str = ""

    def text(self, language: str) -> str:
        """Return the words in a language, in English where the owner wrote no others, with the code behind them."""
        words = isolated((self.de if language == "de" else self.en) or self.en)
        return f"{words} ({isolated(self.code)})" if self.code else words


class ReasonCodes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A reason for each feature that can change, by name."""

    format: str
    version: int
    reasons: dict[str, Reason]

    def of(self, ways: Iterable[Sequence[str]], words: Words) -> list[tuple[int, str]]:
        """Return the reasons of some ways, given by the features that they change, at most four.

        Each comes with the number of its way, counted from 1. Words of several features are said once.
        """
        found: list[tuple[int, str]] = []
        met: set[str] = set()
        for number, changed in enumerate(ways, start=1):
            texts = dict.fromkeys(self.reasons[name].text(words.language) for name in changed)
            if met.isdisjoint(changed):
                met.update(changed)
                found.append((number, words.joined(list(texts))))
        return found[:MOST]


def parse_reason_codes(data: bytes, where: str, spec: Spec) -> ReasonCodes:
    """Read a table of reasons; raises ReasonCodesError naming `where` and the feature."""
    if (mark := kind_of(data)) != FORMAT[0] and (other := mistaken_for(mark, KINDS[FORMAT[0]])):
        raise ReasonCodesError(f"{where}: {other}")
    try:
        table = parse(data, ReasonCodes, where)
    except DocumentError as error:
        raise ReasonCodesError(str(error)) from None
    if (table.format, table.version) != FORMAT:
        raise ReasonCodesError(f"{where}: want format {FORMAT[0]!r}, version {FORMAT[1]}")
    known = {feature.name: feature for feature in spec.plain_features}
    for name, reason in table.reasons.items():
        if name not in known:
            raise ReasonCodesError(f"{where}: take {name[:40]!r} out: the spec has no such non-sensitive feature")
        for text in filter(None, (reason.en, reason.de, reason.code)):
            if wrong := complaint(text):
                raise ReasonCodesError(f"{where}: {quoted(name)}: {wrong.message}")
        if not reason.en:
            raise ReasonCodesError(f"{where}: {quoted(name)}: give its reason words (en)")
    for name, feature in known.items():
        if feature.changes is not msgspec.UNSET and name not in table.reasons:
            raise ReasonCodesError(f"{where}: add {quoted(name)}: the rules let it change, and it has no reason here")
    return table
