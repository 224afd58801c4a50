"""Recourse in words: what would have been enough, that nothing would have been, or that nothing is claimed.

The sentences are about this model and this application, and none says how anybody decides later. Names, labels and
values are the owner's words, and isolated as such.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from equiproof.circuits.allowed import Wish
from equiproof.circuits.numbers import exact, read_number
from equiproof.circuits.spec import Feature, Spec
from equiproof.verifier.bars import own_value
from equiproof.verifier.letter import Sender, automated_notes, grouped, head
from equiproof.verifier.letter_parts import bar, element, items, key_to_bars, text, whole_page
from equiproof.verifier.words import Words, isolated, shown_name

_TRACK = 10_000
"""A bar's whole length, in hundredths of a percent."""

_MOST_VALUES = 6
"""So many listed values of a sensitive feature are written out."""

_ROOM = Fraction(1, 20)
"""How much of a track lies beyond what is drawn, where the spec states no range."""


@dataclass(frozen=True)
class Told:
    """What was found for a refused applicant of this raw row, who asked for the label `wanted`.

    `ways` are changed features and ends of boxes by feature, as opened boxes have them. `wishes` are their own, which
    narrowed what was looked at. `part` is there where it is undecided and none helps within so many percent: these, and
    the ends of the numbers that may change. `proofs` are the names of the box certificates, one for each way or for the
    none, where there are any. `reasons` are numbers of ways, counted from 1, each with the owner's
    words for what it says of the decision.
    """

    outcome: Literal["way", "none", "dependent", "undecided"]
    row: Mapping[str, Any] = field(repr=False)
    wanted: str
    ways: Sequence[tuple[Sequence[str], Mapping[str, tuple[Any, ...]]]] = field(default=(), repr=False)
    wishes: Mapping[str, Wish] = field(default_factory=dict, repr=False)
    part: tuple[int, Mapping[str, tuple[Any, ...]]] | None = field(default=None, repr=False)
    proofs: Sequence[str] = ()
    reasons: Sequence[tuple[int, str]] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        """Refuse a reason that no certificate backs; ValueError."""
        if any(not 0 < number <= len(self.proofs) for number, _ in self.reasons):
            raise ValueError("each reason has a certificate")


def in_words(spec: Spec, told: Told, language: str = "en") -> dict[str, Any]:
    """Return what was found as a document of sentences, with the bars of the features that each way changes.

    Raises ValueError for an unknown language.
    """
    words = Words(language)
    sensitive = words.joined(
        [words.word(shown_name(spec, feature, words.language)) for feature in spec.sensitive_features], "or"
    )
    listed = words.joined([_with_values(spec, feature, words) for feature in spec.sensitive_features], "or")
    label = _wanted(spec, told, words)
    ways = [_way(spec, told, changed, ends, words) for changed, ends in told.ways]
    if told.outcome == "way":
        sentences = [words.say("recourse.whatever", names=listed)]
    elif told.outcome == "none":
        which = "recourse.none_wishes" if told.wishes else "recourse.none"
        sentences = [words.say(which, label=label), *_wished(spec, told, words)]
        sentences.append(words.say("recourse.whatever", names=listed))
    elif told.outcome == "dependent":
        sentences = [words.say("recourse.dependent", names=sensitive), words.say("recourse.review")]
    elif told.part is not None:
        which = "recourse.part_wishes" if told.wishes else "recourse.part"
        percent, numbers = str(told.part[0]), _numbers(spec, told.part[1], words)
        sentences = [words.say(which, label=label, percent=percent, numbers=numbers), *_wished(spec, told, words)]
        sentences += [words.say("recourse.whatever", names=listed), words.say("recourse.beyond")]
    else:
        sentences = [words.say("recourse.undecided")]
    title = "recourse.title" if told.outcome == "way" else "recourse.title_without"
    return {
        "title": words.say(title),
        "ways": ways,
        "sentences": sentences,
        "reasons": [words.say("recourse.reason", reason=reason, n=str(number)) for number, reason in told.reasons],
        "limits": [words.say(which) for which in _limits(told)],
    }


def _wanted(spec: Spec, told: Told, words: Words) -> str:
    """Return the label that would have been enough, in the language of the words."""
    return words.word(spec.labels_in(words.language)[spec.labels.index(told.wanted)])


def _limits(told: Told) -> list[str]:
    """Return which sentences say what is not said."""
    claims = told.outcome in ("way", "none") or told.part is not None
    found = ["recourse.no_promise", "recourse.others"]
    return found + ["recourse.not_only"] * bool(told.reasons) + ["recourse.unproven"] * (claims and not told.proofs)


def _numbers(spec: Spec, ends: Mapping[str, tuple[Any, ...]], words: Words) -> str:
    """Return numbers with how far they go, in the order of the spec."""
    found = []
    for feature in spec.plain_features:
        if feature.name in ends:
            low, high = (own_value(feature, one, words) for one in ends[feature.name])
            found.append(
                words.say(
                    "recourse.span", name=words.word(shown_name(spec, feature, words.language)), low=low, high=high
                )
            )
    return words.joined(found)


def _wished(spec: Spec, told: Told, words: Words) -> list[str]:
    """Return the sentence of an applicant's wishes; nothing without them."""
    stated = [one for one in spec.plain_features if one.name in told.wishes]
    wishes = [part for feature in stated for part in _wish(spec, feature, told.wishes[feature.name], words)]
    return [words.say("recourse.wishes", wishes=words.joined(wishes))] if wishes else []


def _wish(spec: Spec, feature: Feature, wish: Wish, words: Words) -> list[str]:
    """Return each part of a wish in words."""
    name = words.word(shown_name(spec, feature, words.language))
    found = []
    for which, value in wish.stated.items():
        if which == "fixed":
            found.append(words.say("recourse.wish_fixed", name=name))
        elif which == "values":
            listed = words.joined([words.word(one) for one in value], "or")
            found.append(words.say("recourse.wish_values", name=name, values=listed))
        else:
            # How far a day moves is a number of days, and no day.
            amount = words.number(exact(value)) + words.unit(feature.unit_in(words.language))
            shown = amount if which == "by" else own_value(feature, value, words)
            found.append(words.say(f"recourse.wish_{which}", name=name, value=shown))
    return found


def _with_values(spec: Spec, feature: Feature, words: Words) -> str:
    """Return the name of a sensitive feature, with its listed values where there are few."""
    name = words.word(shown_name(spec, feature, words.language))
    if len(feature.domain) > _MOST_VALUES:
        return name
    return f"{name} ({words.joined([words.word(value) for value in feature.domain], 'or')})"


def letter(spec: Spec, told: Told, sender: Sender, language: str = "en") -> str:
    """Return the page to print for the applicant; equal arguments give equal pages."""
    words = Words(language)
    said = in_words(spec, told, language)
    title = text(said["title"])
    sentences = [one["sentence"] for one in said["ways"]] + said["sentences"]
    body = [head(sender, words), element("h1", title), element("ol", items(sentences), "answer")]
    body += [element("p", text(note), "note") for note in automated_notes(sender, words)]
    if said["reasons"]:
        body += [element("h2", text(words.say("recourse.reasons"))), element("ol", items(said["reasons"]), "not")]
    proofs = [words.say("recourse.proof", certificate=grouped(name)) for name in told.proofs]
    if said["ways"]:
        body.append(element("h2", text(words.say("recourse.bars"))))
        for number, one in enumerate(said["ways"], start=1):
            first = [words.say("recourse.way_number", n=str(number))] if len(said["ways"]) > 1 else []
            body.append(element("p", text(" ".join([*first, *proofs[number - 1 : number]])), "note"))
            pictures = (bar(drawn, words.say("label.yours", value=drawn["own"])) for drawn in one["bars"])
            body.append(element("ul", "".join(pictures), "bars"))
        body.append(key_to_bars([("same", words.say("recourse.enough")), ("own", words.say("letter.own"))]))
    else:
        body += [element("p", text(proof), "note") for proof in proofs]
    if proofs:
        body.append(element("p", text(words.say("recourse.proof_digits")), "note"))
        body.append(element("h2", text(words.say("letter.how"))))
        body.append(element("p", text(words.say("recourse.check", command=isolated(_command(told))))))
    body += [element("h2", text(words.say("letter.not"))), element("ul", items(said["limits"]), "not")]
    style = Path(__file__).with_name("letter.css")
    return whole_page(words.language, title, style, "\n".join(body), private=True)


def _command(told: Told) -> str:
    """Return the command that checks a certificate with its refusal."""
    wishes = " --wishes wishes.json" if told.wishes else ""
    within = f" --within {told.part[0]}" if told.part is not None else ""
    return (
        "equiproof box verify certificate.json --commitment commitment.json --keys keys --box opened.json "
        f"--refusal refusal.json --query query.json{wishes}{within}"
    )


def _way(
    spec: Spec, told: Told, changed: Sequence[str], ends: Mapping[str, tuple[Any, ...]], words: Words
) -> dict[str, Any]:
    """Return the sentence of one way, and a bar for each feature that it changes."""
    known = {feature.name: feature for feature in spec.plain_features}
    changes = [_change(spec, known[name], told.row[name], ends[name], words) for name in changed]
    return {
        "sentence": words.say("recourse.way", label=_wanted(spec, told, words), changes=words.joined(changes)),
        "bars": [_bar(spec, known[name], told.row[name], ends[name], words) for name in changed],
    }


def _change(spec: Spec, feature: Feature, own: Any, ends: tuple[Any, ...], words: Words) -> str:
    """Return in words what one feature would have had to be."""
    name = words.word(shown_name(spec, feature, words.language))
    today = own_value(feature, own, words)
    if feature.kind != "numeric":
        value = words.joined([words.word(str(one)) for one in dict.fromkeys(ends)], "or")
        return words.say("recourse.other", name=name, value=value, own=words.word(str(own)))
    low, high = (own_value(feature, one, words) for one in ends)
    if read_number(ends[0]) == read_number(ends[1]):
        return words.say("recourse.other", name=name, value=low, own=today)
    if read_number(ends[0]) > read_number(own):
        return words.say("recourse.at_least", name=name, value=low, end=high, own=today)
    return words.say("recourse.at_most", name=name, value=high, end=low, own=today)


def _bar(spec: Spec, feature: Feature, own: Any, ends: tuple[Any, ...], words: Words) -> dict[str, Any]:
    """Return the bar of one feature: today's value and what would have been enough, as an answer's bars."""
    name, today = isolated(shown_name(spec, feature, words.language)), own_value(feature, own, words)
    if feature.kind != "numeric":
        values = [{"text": isolated(one), "in": one in ends, "you": one == str(own)} for one in feature.domain]
        span = words.joined([words.word(str(one)) for one in dict.fromkeys(ends)], "or")
        return {"name": name, "own": today, "span": span, "kind": "category", "values": values}
    low, high, here = (read_number(one) for one in (*ends, own))
    least, most = _track(feature, min(low, here), max(high, here))
    places = {
        part: int((number - least) / (most - least) * _TRACK)
        for part, number in (("low", low), ("high", high), ("you", here))
    }
    shown = [own_value(feature, one, words) for one in ends]
    span = shown[0] if low == high else words.say("span.range", low=shown[0], high=shown[1], unit="")
    return {"name": name, "own": today, "span": span, "kind": "number", **places, "caps": [True, True], "limits": None}


def _track(feature: Feature, least: Fraction, most: Fraction) -> tuple[Fraction, Fraction]:
    """Return the ends of a number's track: its range, or a little more than what is drawn."""
    if feature.range is not None:
        low, high = map(exact, feature.range)
        return min(low, least), max(high, most)
    room = (most - least) * _ROOM
    return least - room, most + room
