"""The pair of a refusal and a box: whether the box is the one that the spec's rules and somebody's wishes say.

A box certificate says how everybody in a box is decided, and nothing of whose box it is. Its holder has the refusal's
certificate, the query that opens it and the opened box. With the label of the refusal the box must have all that they
may change (`none`: no change helps). With another label it must be a change that they may make, from the values that
are shown on (`way`: it is enough). Compared are raw values, exactly; integers follow, since rounding never falls.

A box of less is refused, unless who compares it says of how much less it is (`within`): then the pair says so as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import msgspec

from equiproof.circuits.allowed import Allowed, Range, Span, Values, WiderWishError, allowed, is_listed, refuse_percent
from equiproof.circuits.names import quoted
from equiproof.circuits.numbers import read_number
from equiproof.circuits.spec import Feature, Spec, SpecError
from equiproof.circuits.statement import BoxStatement
from equiproof.circuits.tables import say
from equiproof.verifier.certificate import Certificate
from equiproof.verifier.documents import QueryDocument, RawValue
from equiproof.verifier.errors import CertificateFormatError, PolicyError, ProofError, Reason
from equiproof.verifier.opened_box import OpenedBox
from equiproof.verifier.policy import ForQuery
from equiproof.verifier.steps import check_label
from equiproof.verifier.wishes import WishesDocument

Side = Literal["none", "part", "way"]
"""What a pair says: that none of the changes helps, that none of a stated part of them does, or that one is enough."""


@dataclass(frozen=True)
class Refusal:
    """What a box is compared with: the refusal's certificate, the query that it is about, and wishes.

    With `within`, a percent from 1 to 99, numbers go so far of the way to the ends that these allow, and the pair says
    no more. Another percent is a ValueError. `holds`: the certificate was verified, so that neither this nor label and
    context are left to anybody.
    """

    certificate: Certificate
    query: QueryDocument
    wishes: WishesDocument | None = None
    within: int | None = None
    holds: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no part."""
        if self.within is not None:
            refuse_percent(self.within)


@dataclass(frozen=True)
class Paired:
    """A pair that fits: what it says, the same as one sentence, and the checks that were made."""

    side: Side
    sentence: str
    made: tuple[str, ...]


def paired(spec: Spec, statement: BoxStatement, opened: OpenedBox, refusal: Refusal) -> Paired:
    """Return what a box certificate says together with a refusal, or raise.

    The box opens the statement's box commitment. Raises ProofError for another refusal, for a spec without rules, and
    for a box that these and the wishes do not say, PolicyError for another query, and CertificateFormatError for a
    query or wishes that do not fit the spec; each names its reason.
    """
    _check_refusal(spec, statement, refusal)
    wishes = {} if refusal.wishes is None else refusal.wishes.wishes
    row = refusal.query.row(spec)
    try:
        may = allowed(spec, row, wishes)
    except WiderWishError as error:
        raise CertificateFormatError(str(error), Reason.WISH_WIDENS) from None
    except SpecError as error:
        raise CertificateFormatError(str(error), Reason.BAD_WISHES) from None
    if refusal.within is not None:
        may = may.within(refusal.within)
    refused = refusal.certificate.statement.label
    side: Side = "way" if statement.label != refused else "none" if refusal.within is None else "part"
    boxed = {feature.name: _boxed(feature, opened.ends[feature.name]) for feature in spec.plain_features}
    for feature in spec.plain_features:
        _check_fixed(feature, boxed[feature.name], may.features[feature.name])
    moved = [] if side != "way" else [
        feature for feature in spec.plain_features if not _is_own(boxed[feature.name], may.features[feature.name])
    ]  # fmt: skip
    if side != "way":
        for feature in spec.plain_features:
            _check_all(feature, boxed[feature.name], may.features[feature.name])
    else:
        _check_way(moved, boxed, may)
    of = _Of(spec, statement, opened, refusal, may)
    return Paired(side, of.way(moved) if side == "way" else of.none(), _made(spec, refusal, side))


def _check_refusal(spec: Spec, statement: BoxStatement, refusal: Refusal) -> None:
    """Refuse a refusal that is not of the same model, spec and context, another query, and a spec without rules."""
    stated = refusal.certificate.to_statement()
    for own, other, message in (
        (stated.model_commitment, statement.model_commitment, say("pair.other_model")),
        (stated.spec_digest, statement.spec_digest, say("pair.other_spec")),
        (stated.context_digest, statement.context_digest, say("pair.other_context")),
    ):
        if own != other:
            raise ProofError(message, Reason.OTHER_REFUSAL)
    check_label(stated, spec)
    if refusal.query.commitment(spec) != stated.query_commitment:
        raise PolicyError(say("pair.other_query"), ForQuery.reason)
    if not spec.has_changes:
        raise ProofError(say("pair.no_rules"), Reason.NO_RULES)


Boxed = tuple[Any, ...]
"""What a box has of a feature: the ends of a number, exact, or the values of a category; nothing of what is missing."""


def _boxed(feature: Feature, given: Sequence[RawValue]) -> Boxed:
    """Return what a box that fits the spec has of a feature."""
    if not given:
        return ()
    if feature.kind == "numeric":
        return read_number(given[0]), read_number(given[-1])
    values = tuple(map(str, given))
    if is_listed(feature):
        return tuple(value for value in feature.domain if value in values)
    first, last = (feature.domain.index(value) for value in (values[0], values[-1]))
    return feature.domain[first : last + 1]


def _is_own(box: Boxed, may: Range) -> bool:
    """Return whether a box has today's value of a feature alone."""
    if may is None:
        return not box
    return set(box) == {may.own}


def _check_fixed(feature: Feature, box: Boxed, may: Range) -> None:
    """Refuse another value of a feature that is fixed or not stated, and one that is stated as if it was not."""
    fixed = isinstance(feature.changes, msgspec.UnsetType) or may is None or not box
    if fixed and not _is_own(box, may):
        raise ProofError(say("pair.fixed_moved", feature=quoted(feature.name)), Reason.FIXED_FEATURE_MOVED)


def _check_all(feature: Feature, box: Boxed, may: Range) -> None:
    """Refuse a box that lacks something that a feature may become."""
    if isinstance(may, Span):
        low, high = box
        holds = low <= may.low and may.high <= high
    else:
        holds = may is None or set(may.all) <= set(box)
    if not holds:
        raise ProofError(say("pair.too_small", feature=quoted(feature.name)), Reason.BOX_TOO_SMALL)


def _check_way(moved: Sequence[Feature], boxed: Mapping[str, Boxed], may: Allowed) -> None:
    """Refuse a way that changes nothing, or something otherwise than the rules allow."""
    if not moved:
        raise ProofError(say("pair.nothing_changes"), Reason.CHANGE_NOT_ALLOWED)
    for feature in moved:
        found = may.features[feature.name]
        if isinstance(found, Span):
            low, high = boxed[feature.name]
            _check_number(feature, low, high, found)
        elif isinstance(found, Values) and not set(boxed[feature.name]) <= set(found.all) - {found.own}:
            raise ProofError(say("pair.not_allowed", feature=quoted(feature.name)), Reason.CHANGE_NOT_ALLOWED)
    names = {feature.name for feature in moved}
    for table, rows in may.together:
        if names & set(table) and not any(_is_row(table, row, boxed) for row in rows):
            listed = f" {say('word.and')} ".join(map(quoted, table))
            raise ProofError(say("pair.not_together", features=listed), Reason.NOT_TOGETHER)


def _check_number(feature: Feature, low: Fraction, high: Fraction, may: Span) -> None:
    """Refuse a number that does not move from a step on the allowed side on to an end that is allowed."""
    name = quoted(feature.name)
    rises, falls = low > may.own and may.high > may.own, high < may.own and may.low < may.own
    if not rises and not falls:
        raise ProofError(say("pair.not_allowed", feature=name), Reason.CHANGE_NOT_ALLOWED)
    if high > may.high or low < may.low:
        raise ProofError(say("pair.beyond_end", feature=name), Reason.CAP_EXCEEDED)
    shown = low if rises else high
    if may.step is not None and (shown / may.step).denominator != 1:
        raise ProofError(say("pair.off_step", feature=name), Reason.OFF_STEP)


def _is_row(names: Sequence[str], row: Sequence[str], boxed: Mapping[str, Boxed]) -> bool:
    """Return whether a box has the values of a row of a table, and no others."""
    return all(_is_value(boxed[name], value) for name, value in zip(names, row, strict=True))


def _is_value(box: Boxed, value: str) -> bool:
    """Return whether a box has one value of a feature and no other."""
    return bool(box) and all(one == (value if isinstance(one, str) else Fraction(value)) for one in box)


def _made(spec: Spec, refusal: Refusal, side: Side) -> tuple[str, ...]:
    """Return the checks that were made, in words."""
    label = quoted(spec.labels[refusal.certificate.statement.label])
    alone = refusal.wishes is None
    if side == "way":
        fits = say("checked.pair_way") if alone else say("checked.pair_way_wishes")
    elif (percent := refusal.within) is None:
        fits = say("checked.pair_none") if alone else say("checked.pair_none_wishes")
    elif alone:
        fits = say("checked.pair_none_within", percent=percent)
    else:
        fits = say("checked.pair_none_wishes_within", percent=percent)
    return say("checked.pair_refusal", label=label), say("checked.pair_query"), fits


@dataclass(frozen=True)
class _Of:
    """What a pair that fits is said of."""

    spec: Spec
    statement: BoxStatement
    opened: OpenedBox
    refusal: Refusal
    may: Allowed

    def way(self, moved: Sequence[Feature]) -> str:
        """Return that these changes are enough, which is no more than both certificates say."""
        changes = self._in_words([feature.name for feature in moved])
        return say("pair.way", changes=changes, label=self._label, sensitive=self._sensitive)

    def none(self) -> str:
        """Return that none of the changes helps with which the box was compared, which may be a part of all."""
        label, sensitive = self._label, self._sensitive
        wished = self.refusal.wishes is not None and bool(self.refusal.wishes.wishes)
        if (percent := self.refusal.within) is None:
            if wished:
                return say("pair.none_wishes", label=label, sensitive=sensitive)
            return say("pair.none", label=label, sensitive=sensitive)
        numbers = self._in_words(self.may.numbers)
        if wished:
            return say("pair.none_wishes_within", label=label, sensitive=sensitive, percent=percent, numbers=numbers)
        return say("pair.none_within", label=label, sensitive=sensitive, percent=percent, numbers=numbers)

    @property
    def _label(self) -> str:
        """The label of the box."""
        return quoted(self.spec.labels[self.statement.label])

    @property
    def _sensitive(self) -> str:
        """The sensitive features."""
        return f" {say('word.and')} ".join(quoted(feature.name) for feature in self.spec.sensitive_features)

    def _in_words(self, names: Sequence[str]) -> str:
        """Return what the box has of features, by their names."""
        words = self.opened.sentences(self.spec)
        return f" {say('word.and')} ".join(
            say("pair.change", feature=quoted(name), values=words[name]) for name in names
        )
