"""`equiproof package`: what an owner keeps of one decision, judged years later and offline."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.cli.commands.common import Json, tell
from equiproof.cli.commands.demanding import NOTHING, Demanded, demanding
from equiproof.cli.commands.demands import CheckerText, chosen_program, mendable
from equiproof.cli.commands.stamp import OwnAuthority, OwnStamp, of_stamp, stamp_of
from equiproof.cli.commands.verify import OwnCommitment, OwnKeys, trusted_parts

if TYPE_CHECKING:
    from equiproof.verifier.logged import LogPins, LogTerms
    from equiproof.verifier.package_check import Checked
    from equiproof.verifier.stamps import Stamp

app = typer.Typer(no_args_is_help=True, help="Verify evidence packages of decisions.")

_WIDTH = 100


@app.callback()
def _group() -> None:
    """Verify evidence packages of decisions."""


@app.command()
@demanding(
    "package verify",
    first=("model_commitment", "key_fingerprint", "link_key_fingerprint"),
    without=("smallest_tree", "max_log_age"),
)
def verify(
    file: Annotated[Path, typer.Argument(help="An evidence package.")],
    commitment: OwnCommitment = None,
    keys: OwnKeys = None,
    demanded: Demanded = NOTHING,
    letter: Annotated[Path | None, typer.Option("--letter", help="The letter, to compare with the package.")] = None,
    model_card: Annotated[
        Path | None, typer.Option("--model-card", help="The model card, to compare with the package.")
    ] = None,
    pair: Annotated[
        Path | None,
        typer.Option("--pair", help="The package of the decision that corrects this one, or that it corrects."),
    ] = None,
    stamp: OwnStamp = None,
    authority: OwnAuthority = None,
    checker: CheckerText = "auto",
    as_json: Json = False,
) -> None:
    """Verify the certificate of an evidence package, however old it is.

    Within the certificate's lifetime of five years it is verified as by `equiproof verify`. After it the certificate is
    valid as of the day on which witnesses had seen its file in a public log: name log and witnesses. Works offline.
    """
    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier.package import MAX_PACKAGE_BYTES, parse_package
    from equiproof.verifier.package_check import Reader, check_package, check_pair

    package = parse_package(read_limited(file, MAX_PACKAGE_BYTES), str(file))
    trusted_keys, own_commitment = trusted_parts(keys, commitment)
    reader = Reader(
        policy=demanded.policy(),
        now=int(time.time()),
        pins=_pins(demanded.terms()),
        commitment=own_commitment,
        keys=trusted_keys,
        checker=chosen_program(checker),
        letter=_read(letter),
        model_card=_read(model_card),
    )
    with mendable(checker):
        checked = check_package(package, str(file), reader)
        if pair is not None:
            of_pair = parse_package(read_limited(pair, MAX_PACKAGE_BYTES), str(pair))
            other = check_package(of_pair, str(pair), replace(reader, letter=None, model_card=None))
            checked = replace(checked, pair=check_pair(checked, other))
    stamped = stamp_of(file, stamp, authority)
    document = checked.document() | of_stamp(stamped)
    tell(as_json=as_json, document=document, text="\n".join(_lines(checked, stamped)))


def _read(path: Path | None) -> bytes | None:
    """Return the bytes of a file that was named."""
    from equiproof.circuits.canonical import read_limited

    return None if path is None else read_limited(path)


def _pins(terms: LogTerms | None) -> LogPins | None:
    """Return what is pinned of a log; raises typer's own error for keys that are none."""
    try:
        return None if terms is None else terms.pins()
    except ValueError as error:
        raise typer.BadParameter(f"--log-key: {error}") from None


def _lines(checked: Checked, stamped: Stamp | None) -> list[str]:
    """Return what was found, the verdict first."""
    package = checked.package
    verified = checked.verified
    if checked.as_of:
        verdict = f"VALID as of the witnessed checkpoint of {checked.as_of}; the lifetime ended on {checked.ends}"
    else:
        verdict = f"VERIFIED within its lifetime, which ends on {checked.ends}"
    seen = f", seen in the log by {checked.seen}" if checked.seen and not checked.as_of else ""
    return [
        f"{verdict}{seen}",
        *_wrapped([verified.reading.sentence()]),
        *_wrapped(box.pair.sentence for _, box in verified.recourse if box.pair is not None),
        f"  certificate {verified.identity}",
        f"decision {package.decision}, package of {package.made}, to be kept until {package.keep_until}",
        "said then, and not believed:",
        *_listed(
            f"{one.at} {one.checker}: {one.verdict}{f' ({one.reason})' if one.reason else ''}"
            for one in checked.reports
        ),
        "checked now:",
        *_listed(verified.made),
        *_listed(f"the {what} is the one that the package names" for what in checked.compared),
        *_listed([checked.pair] if checked.pair else []),
        *_listed([stamped.sentence()] if stamped else []),
        "not checked:",
        *_listed(dict.fromkeys([*verified.not_made, *(line for _, box in verified.recourse for line in box.not_made)])),
        *_listed(f"missing: {what}" for what in checked.lacking),
    ]


def _wrapped(sentences: Iterable[str]) -> list[str]:
    """Return sentences below the verdict."""
    return [
        line
        for sentence in sentences
        for line in textwrap.wrap(sentence, _WIDTH, initial_indent="  ", subsequent_indent="  ")
    ]


def _listed(texts: Iterable[str]) -> list[str]:
    """Return texts as the items of a list."""
    return [
        line for text in texts for line in textwrap.wrap(text, _WIDTH, initial_indent="  - ", subsequent_indent="    ")
    ]
