"""What a verification found, in words for people: one plain JSON document, the same in every program.

An answer says three things first: the decision, what it does not depend on, and what could change without changing it.
Then it lists what was checked, what was not, and what no certificate shows. It depends on its arguments only.
docs/certificate.md describes its fields, and tests/vectors/words.json holds cases.
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
from equiproof.verifier.documents import KeyDocument, RawValue, SetupKind
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
    def of(cls, key: KeyDocument) -> KeyMaking:
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
    heading, below = _heading(findings, words)
    return {
        "language": language,
        "outcome": "valid" if heading == "outcome.valid" else "open",
        "heading": words.say(heading),
        "below": below,
        "sentences": _sentences(findings, words, voice, moves=moves),
        "bars_heading": words.say("bars.heading" if moves else "bars.heading_none"),
        "bars_note": words.say("bars.note") if moves else None,
        "bars": bars(findings.spec, findings.radius_squared, findings.query, words),
        "checked": _checked(findings, words),
        "not_checked": _not_checked(findings, words, moves=moves),
        "never_shown": _never_shown(findings.spec, words),
        "reason": None,
        "technical": None,
    }


def _heading(findings: Findings, words: Words) -> tuple[str, list[str]]:
    """Return the name of the heading, and the lines below it."""
    key_open = not findings.pins.key or findings.key.setup == "single-party"
    if findings.pins.model is None:
        return "outcome.model_open", [words.say("below.model_and_key" if key_open else "below.model")]
    checked = ["below.about_model"]
    if findings.context is not None:
        checked.insert(0, "below.about_shown_decision" if findings.context_found else "below.about_decision")
    if findings.query is not None:
        checked.insert(0, "below.about_shown_details" if findings.query_found else "below.about_details")
    parts = words.joined([words.say(part) for part in checked])
    return "outcome.key_open" if key_open else "outcome.valid", [words.say("below.about", parts=parts)]


def _sentences(findings: Findings, words: Words, voice: Voice, *, moves: bool) -> list[str]:
    """Return the three sentences."""
    label = words.word(findings.spec.labels[findings.label])
    # Under a key that came with the file, somebody else may have written it about the lender's commitment.
    named = findings.pins.model and findings.pins.key
    decider = "letter" if voice == "letter" else "lender" if named else "certificate"
    known = "" if findings.query is not None else "_unknown"
    sensitive = findings.spec.sensitive_features
    features = words.joined(
        [
            words.say(
                "independent.feature", name=_name(findings.spec, feature, words), values=_values(feature, words, voice)
            )
            for feature in sensitive
        ]
    )
    room = words.say(f"room.{'some' if moves else 'none'}{known}", label=label)
    if moves and findings.spec.use_ranges:
        room += " " + words.say("room.ranges_letter" if voice == "letter" else "room.ranges")
    return [
        words.say(f"decided.{decider}", label=label),
        words.say(f"independent.{'several' if len(sensitive) > 1 else 'one'}{known}", features=features),
        room,
    ]


def _values(feature: Feature, words: Words, voice: Voice) -> str:
    """Return the values of a sensitive feature; of many, their number and the ends, never an interval."""
    if len(feature.domain) <= MAX_VALUES:
        return ", ".join(map(words.word, feature.domain))
    ordered = sorted(feature.domain, key=Fraction) if feature.kind == "numeric" else feature.domain
    first = words.word(ordered[0])
    last = words.word(ordered[-1])
    which = "independent.many_letter" if voice == "letter" else "independent.many"
    return words.say(which, n=words.number(Fraction(len(ordered))), first=first, last=last)


def _checked(findings: Findings, words: Words) -> list[str]:
    """Return what was checked."""
    lines = [words.say("checked.proof")]
    if findings.pins.model:
        lines.append(words.say("checked.model" if findings.pins.model == "given" else "checked.model_fingerprint"))
    for feature in findings.spec.sensitive_features:
        name = _name(findings.spec, feature, words)
        quoted = words.quoted(shown_name(findings.spec, feature))
        values = ", ".join(map(words.word, feature.domain))
        lines.append(words.say("checked.values", name=name, quoted_name=quoted, values=values))
    lines += _about_the_applicant(findings, words)
    if findings.pins.key:
        lines.append(words.say("checked.key"))
        if findings.key.setup == "ceremony":
            lines.append(words.say("checked.ceremony", n=words.number(Fraction(findings.key.parties))))
        elif findings.key.setup == "universal":
            lines.append(words.say("checked.universal"))
    if findings.minimum is not None:
        least = words.number(decimal(findings.minimum, "minimum"))
        lines.append(words.say("checked.minimum", radius=least))
    if findings.spec.use_ranges and findings.ranges:
        lines.append(words.say("checked.ranges"))
    if findings.logged is not None:
        lines.append(_logged(findings.logged, words))
    if findings.others:
        lines.append(words.say("checked.others"))
    return lines


def _about_the_applicant(findings: Findings, words: Words) -> list[str]:
    """Return what was checked of data, context and receipt."""
    lines = []
    if findings.query is not None:
        lines.append(words.say("checked.query_found" if findings.query_found else "checked.query"))
    if findings.context is not None:
        lines.append(_context(findings.context, words, came_with_it=findings.context_found))
    if findings.receipt is not None:
        lines.append(words.say("checked.receipt" if findings.receipt == "given" else "checked.receipt_found"))
        if findings.receipt_logged:
            lines.append(words.say("checked.receipt_logged"))
    return lines


def _logged(at: LogStanding, words: Words) -> str:
    """Return what a log shows everybody, by the word of witnesses where they are pinned."""
    names = {"log": words.word(at.log), "owner": words.word(at.owner)}
    if not at.until:
        return words.say("checked.logged_alone", **names)
    return words.say("checked.logged", n=words.number(Fraction(at.witnesses)), **names)


def _log_open(findings: Findings, words: Words) -> list[dict[str, Any]]:
    """Return what is open of a public log."""
    at = findings.logged
    if at is None:
        return [_open(words, "open.log")] if findings.log else []
    lines = [] if at.until else [_open(words, "open.log_alone", warning=True)]
    if not at.owner_pinned:
        lines.append(_open(words, "open.log_owner", owner=words.word(at.owner)))
    until = at.until.replace("T", " ").removesuffix("Z")
    lines.append(_open(words, "open.retired", time=until) if until else _open(words, "open.retired_alone"))
    if findings.receipt is not None and not findings.receipt_logged:
        lines.append(_open(words, "open.receipt_log"))
    return lines


def _context(context: Mapping[str, str], words: Words, *, came_with_it: bool) -> str:
    """Return what a decision is called: the context's texts, but not its nonce, nor text that could mislead."""
    shown = [
        f"{words.word(name)} {words.word(context[name])}"
        # In the order of canonical JSON (RFC 8785): by UTF-16 code units, as programs in other languages sort.
        for name in sorted(context, key=lambda name: name.encode("utf-16-be"))
        if name != "nonce" and not complaint(name) and not complaint(context[name])
    ]
    which = f"checked.context{'_found' * came_with_it}"
    return words.say(which, texts=", ".join(shown)) if shown else words.say(f"{which}_bare")


def _not_checked(findings: Findings, words: Words, *, moves: bool) -> list[dict[str, Any]]:
    """Return what was not checked and can be, what is unpinned first."""
    spec = findings.spec
    key = findings.key
    lines = [] if findings.pins.model else [_open(words, "open.model", warning=True)]
    if not findings.pins.key:
        lines.append(_open(words, "open.key", warning=True))
    elif key.setup == "single-party":
        lines.append(_open(words, "open.single-party", warning=True))
    if findings.query is None or findings.query_found:
        lines.append(_open(words, "open.query" if findings.query is None else "open.query_found"))
    if findings.context is None or findings.context_found:
        lines.append(_open(words, "open.context" if findings.context is None else "open.context_found"))
    if findings.minimum is None and moves:
        lines.append(_open(words, "open.minimum"))
    if spec.use_ranges and not findings.ranges:
        lines.append(_open(words, "open.ranges"))
    if spec.allow_loss:
        lines.append(_open(words, "open.loss"))
    lines += _monotone(spec, words)
    if findings.pins.key and key.setup != "single-party":
        lines.append(_open(words, f"open.{key.setup}"))
        if key.imported:
            lines.append(_open(words, "open.imported"))
    lines += _log_open(findings, words)
    return [*lines, _open(words, "open.letter", label=words.word(spec.labels[findings.label]))]


def _monotone(spec: Spec, words: Words) -> list[dict[str, Any]]:
    """Return what the owner states of features that only ever move the score one way: one line for each direction."""
    named = {
        way: [_name(spec, feature, words) for feature in spec.features if feature.monotone == way]
        for way in ("increasing", "decreasing")
    }
    label = words.word(spec.labels[1])
    statements = ((f"open.{way}", words.joined(names, "or")) for way, names in named.items() if names)
    return [_open(words, which, names=names, label=label) for which, names in statements]


def _open(words: Words, which: str, *, warning: bool = False, **texts: str) -> dict[str, Any]:
    """Return one line of what was not checked."""
    return {"text": words.say(which, **texts), "warning": warning}


def _never_shown(spec: Spec, words: Words) -> list[str]:
    """Return what no certificate shows."""
    sensitive = spec.sensitive_features
    names = words.joined([_name(spec, feature, words) for feature in sensitive], "or")
    quoted = words.joined([words.quoted(shown_name(spec, feature)) for feature in sensitive], "or")
    listed = ("never.model", "never.stand-in", "never.values", "never.good", "never.everybody")
    return [words.say(name, names=names, quoted_names=quoted) for name in listed]


def _name(spec: Spec, feature: Feature, words: Words) -> str:
    """Return a feature's name in a sentence."""
    return words.word(shown_name(spec, feature))
