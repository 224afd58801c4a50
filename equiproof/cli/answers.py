"""An answer on a terminal: its sentences and lists as lines, and everything else behind them."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.circuits import tables
from equiproof.circuits.tables import say
from equiproof.cli.commands.common import below_each_other
from equiproof.cli.console import columns

if TYPE_CHECKING:
    from equiproof.verifier import CertificateFormatError, Verified, VerifiedBox, VerifiedGain
    from equiproof.verifier.words import Words

LanguageText = Annotated[str, typer.Option("--language", help="The language of the answer: en or de.")]

_MOST_COLUMNS = 100
_ONE_LINE = 100_000

_PLAIN_SIGNS = str.maketrans(
    {"\u00a0": " ", "\u2212": "-", "\u00b1": "+-", "\u2019": "'", "\u201c": '"', "\u201d": '"'}
)
"""Signs that a terminal without Unicode lacks, in ASCII."""


def words_of(language: str) -> Words:
    """Return the words of a language; raises typer's own error for an unknown one."""
    from equiproof.verifier.words import Words

    try:
        return Words(language)
    except ValueError as error:
        raise typer.BadParameter(f"--language: {error}") from None


def answer_lines(answer: Mapping[str, Any], words: Words) -> list[str]:
    """Return an answer about a certificate that was verified as lines, the outcome and the three sentences first."""
    lines = [*_wrapped(" ".join([answer["heading"], *answer["below"]])), ""]
    for sentence in answer["sentences"]:
        lines += _wrapped(sentence)
    lines += ["", answer["bars_heading"]]
    lines += _wrapped(answer["bars_note"] or "", "  ")
    lines += _bars(answer["bars"], words)
    lines += ["", words.say("label.checked"), *_listed(("+ ", text) for text in answer["checked"])]
    marked = (("! " if item["warning"] else "- ", item["text"]) for item in answer["not_checked"])
    lines += ["", words.say("label.not_checked"), *_listed(marked)]
    lines += ["", words.say("label.never_shown"), *_listed(("- ", text) for text in answer["never_shown"])]
    return [shown(line) for line in lines]


def recourse_lines(verified: Verified, words: Words) -> list[str]:
    """Return what the recourse in a bundle says and leaves open besides, below an empty line; [] without one."""
    if not verified.recourse:
        return []
    pairs = [box.pair for _, box in verified.recourse if box.pair is not None]
    title = "recourse.title" if any(pair.side == "way" for pair in pairs) else "recourse.title_without"
    left = dict.fromkeys(line for _, box in verified.recourse for line in box.not_made)
    more = (("- ", line) for line in left if line not in verified.not_made)
    return ["", shown(words.say(title)), *_listed(("+ ", pair.sentence) for pair in pairs), *_listed(more)]


def everything_else(verified: Verified, document: Mapping[str, Any], words: Words) -> list[str]:
    """Return what a technical reader wants besides: the exact statement, every check, and all digests."""
    reading = verified.reading
    lines = [shown(words.say("label.everything")), f"  {reading.sentence()}"]
    return [*lines, *technical(verified, document, document["intervals"] or reading.features, document["ranges"])]


def technical(
    verified: Verified | VerifiedGain,
    document: Mapping[str, Any],
    features: Mapping[str, str],
    ranges: Mapping[str, str] | None = None,
) -> list[str]:
    """Return the lines below a statement: the radius by feature, every check in technical words, and all digests."""
    lines = ["  " + say("reading.radius_heading", radius=verified.reading.radius_any)]
    lines += [f"  {line}" for line in below_each_other(features)]
    if ranges:
        lines += ["  " + say("reading.inside_ranges_only")]
        lines += [f"  {line}" for line in below_each_other(ranges)]
    return [*lines, *checks(verified, document)]


def checks(verified: Verified | VerifiedGain | VerifiedBox, document: Mapping[str, Any]) -> list[str]:
    """Return every check in technical words, and all digests, as lines below what was verified."""
    lines = [f"  {say('technical.checked')}", *(f"    + {check}" for check in verified.made)]
    lines += [f"  {say('technical.not_checked')}", *(f"    - {check}" for check in verified.not_made)]
    setup = document["setup"] or say("technical.unknown")
    ending = (
        say("technical.certificate", digits=verified.identity),
        say("technical.model", digits=document["model_commitment"]),
        say("technical.key", digits=document["key_fingerprint"]),
        say("technical.setup", setup=setup, proof_system=document["proof_system"]),
        say("technical.by_library") if verified.checker == "native" else say("technical.in_python"),
    )
    return [*lines, *(f"  {line}" for line in ending)]


def in_its_language(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that has --language and --json sentences for technical readers in that language.

    Its JSON object is for programs: but for the answer in it, it is in English. An unknown language is left to the
    command to refuse.
    """

    @wraps(command)
    def wrapper(*, language: str, as_json: bool, **others: Any) -> None:
        known = not as_json and language in tables.LANGUAGES
        with tables.speaking(language if known else tables.ENGLISH):
            command(language=language, as_json=as_json, **others)

    return wrapper


@contextmanager
def refused_in_words(file: Path, words: Words) -> Iterator[None]:
    """Say first what it means for the reader that a certificate is not accepted, and the reason behind it.

    Exceptions keep class and reason. A file beside the certificate that is malformed keeps its own message.
    """
    from equiproof.verifier import CertificateFormatError, VerificationError
    from equiproof.verifier.refusal import refusal

    try:
        yield
    except (CertificateFormatError, VerificationError) as error:
        if isinstance(error, CertificateFormatError) and not _is_of_the_file(file, error):
            raise
        answer = refusal(error.reason, str(error), words.language, error.kind)
        first = " ".join([answer["heading"], answer["below"][0]])
        raise type(error)(shown(f"{first} {words.say('label.technical')}: {error}"), error.reason) from None


def shown(text: str) -> str:
    """Return a text as this terminal can show it."""
    from equiproof.verifier.words import for_terminal

    text = for_terminal(text)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return text.translate(_PLAIN_SIGNS)
    return text


def _is_of_the_file(file: Path, error: CertificateFormatError) -> bool:
    """Return whether an error is about what was to be verified, and not about a file beside it that is bad or missing.

    Errors begin with the file that they are about.
    """
    from equiproof.verifier.errors import Reason

    missing = {Reason.UNREADABLE, Reason.NO_KEYS} | ({Reason.WRONG_FILES} if file.is_dir() else set())
    return str(error).startswith(f"{file}: ") and error.reason not in missing


def _bars(bars: list[dict[str, Any]], words: Words) -> list[str]:
    """Return a line for each feature: name, own value where it is known, and what is certified."""
    names, spans = ([shown(bar[part]) for bar in bars] for part in ("name", "span"))
    own = ["" if bar["own"] is None else shown(words.say("label.yours", value=bar["own"])) for bar in bars]
    first = max(map(len, names))
    second = max(map(len, own))
    gap = "  " if second else ""
    return [
        f"  {name:<{first}}  {value:<{second}}{gap}{span}" for name, value, span in zip(names, own, spans, strict=True)
    ]


def _listed(items: Iterator[tuple[str, str]]) -> list[str]:
    """Return marked texts as a list."""
    return [line for mark, text in items for line in _wrapped(text, f"  {mark}", "    ")]


def _wrapped(text: str, first: str = "", others: str | None = None) -> list[str]:
    """Return a text as lines that fit the terminal; where there is none, as one line."""
    seen = columns()
    width = _ONE_LINE if seen is None else min(seen, _MOST_COLUMNS)
    indent = first if others is None else others
    return textwrap.wrap(shown(text), width, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False)
