"""What a verification found, in words for people: one plain JSON document, the same in every program.

An answer says three things first: the decision, what it does not depend on, and what could change without changing it.
Then it lists what was checked, what was not, and what no certificate shows. It depends on its arguments only.
docs/answers.md describes its fields, and tests/vectors/words.json holds cases.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import msgspec

from equiproof.circuits.names import complaint
from equiproof.circuits.spec import Feature, Spec, decimal
from equiproof.verifier.bars import any_moves, bars
from equiproof.verifier.documents import KeyDocument, LinkKeyDocument, RawValue, SetupKind
from equiproof.verifier.lines import Item, Lines
from equiproof.verifier.words import Words, shown_name

MAX_VALUES = 6
"""Of more values of a sensitive feature, the second sentence has their number; the first list has them all."""

ModelPin = Literal["given", "fingerprint"]
"""How the model is pinned: the commitment was given by the reader, or its fingerprint was."""

Voice = Literal["reader", "letter"]
"""Who speaks: a program of the reader's, or a lender's letter."""


@dataclass(frozen=True)
class KeyMaking:
    """What an answer says of how a key was made.

    `parties` signed the second phase of its ceremony; `imported` says that its powers of tau came from elsewhere.
    """

    setup: SetupKind
    parties: int = 0
    imported: bool = False

    @classmethod
    def weaker(cls, key: KeyDocument, link_key: LinkKeyDocument | None) -> KeyMaking:
        """Return that of two keys: where a single party made either of them, it could forge."""
        return cls.of(key if link_key is None or key.setup == "single-party" else link_key)

    @classmethod
    def of(cls, key: KeyDocument | LinkKeyDocument) -> KeyMaking:
        """Return that of a key's metadata."""
        if key.ceremony is not msgspec.UNSET:
            return cls(key.setup, len(key.ceremony.signers), key.ceremony.powers.origin == "imported")
        return cls(key.setup, 0, key.powers is not msgspec.UNSET and key.powers.origin == "imported")


@dataclass(frozen=True)
class Pinned:
    """What the reader has from elsewhere than the certificate; what is not pinned came with the certificate itself."""

    model: ModelPin | None
    key: bool


@dataclass(frozen=True)
class LogStanding:
    """Where a commitment stands in a pinned log: the log's name, the owner's in it, and who stated so until when.

    `owner_pinned`: the reader named the owner. `until` is a time in UTC, "" where no witnesses are pinned.
    """

    log: str
    owner: str
    owner_pinned: bool
    until: str
    witnesses: int


@dataclass(frozen=True)
class Findings:
    """What a verification of a certificate found; `label` is an index of the spec's labels.

    `query` are the applicant's details, checked against the query commitment, and `context` was checked against the
    context digest; `query_found` and `context_found` say that they came with the certificate itself. `minimum` is the
    least radius that the policy requires, as decimal text above 0. `ranges` says that the policy judged the spec's
    ranges, and `others` that it required anything else. `log` says that a log proof came with it, which was
    checked if there is a `logged`. `receipt` is the reader's own or came with the certificate, and was checked;
    `receipt_logged`: it is in the pinned log.
    """

    spec: Spec
    label: int
    radius_squared: int
    key: KeyMaking
    pins: Pinned
    query: Mapping[str, RawValue] | None = None
    query_found: bool = False
    context: Mapping[str, str] | None = None
    context_found: bool = False
    minimum: str | None = None
    ranges: bool = False
    others: bool = False
    log: bool = False
    logged: LogStanding | None = None
    receipt: Literal["given", "found"] | None = None
    receipt_logged: bool = False


def answer(findings: Findings, language: str = "en", voice: Voice = "reader") -> dict[str, Any]:
    """Return the answer about a certificate that was verified; ValueError for an unknown language."""
    words = Words(language)
    moves = any_moves(findings.spec, findings.radius_squared, findings.query, words)
    shown = _shown(findings.context or {}, words)
    facts = _facts(findings) | {"voice": voice, "moves": _yes(moves), "named": _yes(shown)}
    texts = _texts(findings, words) | {"texts": ", ".join(shown)}
    lines = Lines("answer", words, facts, texts, {"sensitive": _sensitive(findings.spec, words)})
    (heading,) = lines.of("heading")
    (bars_heading,) = lines.said("bars_heading")
    return {
        "language": language,
        "outcome": heading.row.outcome,
        "heading": heading.text,
        "below": lines.said("below"),
        "sentences": lines.said("sentences"),
        "bars_heading": bars_heading,
        "bars_note": next(iter(lines.said("bars_note")), None),
        "bars": bars(findings.spec, findings.radius_squared, findings.query, words),
        "checked": lines.said("checked"),
        "not_checked": [{"text": line.text, "warning": line.row.warning} for line in lines.of("not_checked")],
        "never_shown": lines.said("never_shown"),
        "reason": None,
        "technical": None,
    }


def _facts(findings: Findings) -> dict[str, str]:
    """Return what answers.json chooses sentences by, without what depends on the language."""
    spec, at = findings.spec, findings.logged
    return {
        "model": findings.pins.model or "none",
        "key": findings.key.setup if findings.pins.key else "came",
        "powers": "imported" if findings.key.imported else "own",
        "query": _origin(findings.query, came_with_it=findings.query_found),
        "context": _origin(findings.context, came_with_it=findings.context_found),
        "minimum": "none" if findings.minimum is None else "given",
        "ranges": "unused" if not spec.use_ranges else "judged" if findings.ranges else "open",
        "others": _yes(findings.others),
        "missing": _yes(spec.has_missing),
        "loss": _yes(spec.allow_loss),
        "increasing": "some" if _moving(spec, "increasing") else "none",
        "decreasing": "some" if _moving(spec, "decreasing") else "none",
        "log": _log(findings),
        "owner": "named" if at and at.owner_pinned else "found",
        "receipt": findings.receipt or "none",
        "receipt_logged": _yes(findings.receipt_logged),
        "sensitive": "several" if len(spec.sensitive_features) > 1 else "one",
    }


def _yes(holds: object) -> str:
    """Return the value of a fact that holds or not."""
    return "yes" if holds else "no"


def _log(findings: Findings) -> str:
    """Return what was checked of a log, and whether witnesses are pinned."""
    if findings.logged is not None:
        return "witnessed" if findings.logged.until else "alone"
    return "unchecked" if findings.log else "none"


def _origin(given: object, *, came_with_it: bool) -> str:
    """Return where something is from: the reader's own, come with the certificate, or not there."""
    return "none" if given is None else "found" if came_with_it else "given"


def _texts(findings: Findings, words: Words) -> dict[str, str]:
    """Return the texts for the places of sentences; empty where nothing is said of them."""
    spec, at = findings.spec, findings.logged
    sensitive = spec.sensitive_features
    texts = {
        "label": words.word(spec.labels_in(words.language)[findings.label]),
        "upper_label": words.word(spec.labels_in(words.language)[1]),
        "names": words.joined([_name(spec, feature, words) for feature in sensitive], "or"),
        "quoted_names": words.joined(
            [words.quoted(shown_name(spec, feature, words.language)) for feature in sensitive], "or"
        ),
        "parties": words.number(Fraction(findings.key.parties)),
        "radius": "" if findings.minimum is None else words.number(decimal(findings.minimum, "minimum")),
    }
    for way in ("increasing", "decreasing"):
        names = [_name(spec, feature, words) for feature in _moving(spec, way)]
        texts[way] = words.joined(names, "or") if names else ""
    if at is not None:
        until = at.until.replace("T", " ").removesuffix("Z")
        texts |= {"log": words.word(at.log), "owner": words.word(at.owner), "time": until}
        texts["witnesses"] = words.number(Fraction(at.witnesses))
    return texts


def _sensitive(spec: Spec, words: Words) -> list[Item]:
    """Return what sentences say of each sensitive feature: of many values their number and the ends, no interval."""
    items = []
    for feature in spec.sensitive_features:
        ordered = sorted(feature.domain, key=Fraction) if feature.kind == "numeric" else feature.domain
        texts = {
            "name": _name(spec, feature, words),
            "quoted_name": words.quoted(shown_name(spec, feature, words.language)),
            "values": ", ".join(map(words.word, feature.domain)),
            "n": words.number(Fraction(len(ordered))),
            "first": words.word(ordered[0]),
            "last": words.word(ordered[-1]),
        }
        items.append(Item(texts, {"values": "many" if len(ordered) > MAX_VALUES else "few"}))
    return items


def _shown(context: Mapping[str, str], words: Words) -> list[str]:
    """Return what a decision is called: the context's texts, but not its nonce, nor text that could mislead."""
    return [
        f"{words.word(name)} {words.word(context[name])}"
        # In the order of canonical JSON (RFC 8785): by UTF-16 code units, as programs in other languages sort.
        for name in sorted(context, key=lambda name: name.encode("utf-16-be"))
        if name != "nonce" and not complaint(name) and not complaint(context[name])
    ]


def _moving(spec: Spec, way: str) -> list[Feature]:
    """Return the features of which the owner states that they only ever move the score one way."""
    return [feature for feature in spec.features if feature.monotone == way]


def _name(spec: Spec, feature: Feature, words: Words) -> str:
    """Return a feature's name in a sentence."""
    return words.word(shown_name(spec, feature, words.language))
