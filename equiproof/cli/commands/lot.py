"""`equiproof lot`: a period is closed, chance draws receipts, the owner answers, anybody checks."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.circuits.exit_codes import OK, REFUSED
from equiproof.circuits.tables import say, speaking, written
from equiproof.cli.answers import LanguageText, in_its_language, words_of
from equiproof.cli.commands.common import CommitmentFile, Force, Json, KeysFolder, load, tell
from equiproof.cli.commands.demands import CheckerText, OwnLink, all_links, chosen_program, mendable
from equiproof.cli.commands.identity import read_signer
from equiproof.cli.commands.log_watch import LogKey, read_log_key
from equiproof.cli.console import bar

if TYPE_CHECKING:
    from equiproof.register.lot.check import Counting, Judgement, Pins
    from equiproof.register.lot.folder import PeriodFolder, PeriodLink
    from equiproof.register.lot.report import Report
    from equiproof.verifier.notes import VerifierKey

app = typer.Typer(no_args_is_help=True, help="Audit the decisions of a period by lot.")

Folder = Annotated[Path, typer.Argument(help="The period's folder.")]
LogPlace = Annotated[str, typer.Argument(help="The log's folder or URL.")]


@app.command()
def close(
    folder: Folder,
    log: LogPlace,
    log_key: LogKey,
    name: Annotated[str, typer.Option("--name", help="What the period is called, such as 'March 2026'.")],
    owner: Annotated[str, typer.Option("--owner", help="Your name, as your entries in the log have it.")],
    parties: Annotated[
        Path, typer.Option("--parties", help="Verifier keys of who draws, one a line: yours first, then auditors'.")
    ],
    commitment: CommitmentFile,
    keys: KeysFolder,
    min_radius: Annotated[str, typer.Option("--min-radius", help="The least radius of a certificate that counts.")],
    share: Annotated[str, typer.Option("--share", help="The share of decisions that you promise, such as 0.99.")],
    drawn: Annotated[int, typer.Option("--draw", min=1, help="How many receipts are drawn.")] = 300,
    confidence: Annotated[str, typer.Option("--confidence", help="With what confidence.")] = "0.95",
    first: Annotated[int, typer.Option("--first", min=0, help="The first entry: the one after the last period's.")] = 0,
    round_number: Annotated[
        int | None, typer.Option("--round", help="Draw by this round of drand's quicknet instead of by nonces.")
    ] = None,
    groups: Annotated[
        str | None, typer.Option("--groups", help="By what you will disclose groups, such as 'sex as stated'.")
    ] = None,
    due: Annotated[
        str | None, typer.Option("--due", help="The day by which you will answer, such as 2026-04-30.")
    ] = None,
    link: OwnLink = None,
    as_json: Json = False,
) -> None:
    """Close a period at the log's newest checkpoint.

    Counts the receipts and fixes everything that could be chosen: policy, how many are drawn, who draws. Then each
    party seals: `equiproof lot draw`. An auditor seals no two periods that share an entry.
    """
    from equiproof.register.log import Log
    from equiproof.register.lot.close import Terms, close
    from equiproof.verifier.documents import key_folders, load_commitment
    from equiproof.verifier.notes import parse_keys
    from equiproof.verifier.trust import TrustedKey

    trusted = [TrustedKey.read(one) for one in key_folders(keys)]
    who = parse_keys(_lines(parties), str(parties))
    terms = Terms(
        name=name,
        owner=owner,
        parties=who,
        drawn=drawn,
        min_radius=min_radius,
        share=share,
        confidence=confidence,
        first=first,
        round=round_number,
        groups=groups,
        due=due,
    )
    links = _links(link, commitment, keys)
    made = close(folder, Log(log, read_log_key(log_key)), terms, load_commitment(commitment), trusted, links)
    _tell_closed(made, as_json=as_json)


def _links(link: Path | None, commitment: Path, keys: Path) -> list[PeriodLink]:
    """Return the links of the kept keys in a folder: that of the option, or those in the commitment's folder."""
    from equiproof.register.lot.folder import PeriodLink
    from equiproof.verifier import TrustStore

    trusted = TrustStore.open(keys)
    found = all_links(link, trusted, commitment.parent)
    return [PeriodLink(one, trusted.find_link_key(one.link_key.fingerprint)) for one in found if trusted.has(one.key)]


def _lines(path: Path) -> str:
    """Read a file of verifier keys; what is no UTF-8 in it is no key."""
    from equiproof.circuits.canonical import read_limited
    from equiproof.verifier.notes import MAX_NOTE_BYTES

    return read_limited(path, MAX_NOTE_BYTES).decode("utf-8", "replace")


def _tell_closed(made: PeriodFolder, *, as_json: bool) -> None:
    """Print what was fixed."""
    from equiproof.register.lot.report import shown_period
    from equiproof.verifier.words import for_terminal

    period = made.period
    document = {
        "period": str(made.root),
        "digest": period.digest.hex(),
        "receipts": period.receipts,
        "first": period.first,
        "last": period.last,
        "drawn": period.drawn,
    }
    text = (
        f"CLOSED {for_terminal(shown_period(period.name))}: {period.receipts} receipts, "
        f"entries {period.first} to {period.last}\n"
        f"  {period.drawn} will be drawn\n  digest {period.digest.hex()}\n"
        "  next: each party runs `equiproof lot draw`"
    )
    tell(as_json=as_json, document=document, text=text)


@app.command()
def draw(
    folder: Folder,
    signing_key: Annotated[
        Path | None,
        typer.Option("--signing-key", help="Your secret signing key: seals, or opens once all have sealed."),
    ] = None,
    sealed: Annotated[
        Path | None,
        typer.Option("--sealed", help="Your own folder of what you sealed; one for all periods. Never lose it."),
    ] = None,
    beacon: Annotated[
        Path | None, typer.Option("--beacon", help="The round that the period names, as drand answers it (JSON).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Take your next step in the draw, and tell who is missing.

    Every party seals first and opens after all have sealed: so nobody can choose what is drawn, and who does not open
    is named. Without a signing key, it only tells how far the draw is.
    """
    from equiproof.register.lot.conduct import bring_round
    from equiproof.register.lot.errors import NotDrawnError
    from equiproof.register.lot.folder import PeriodFolder
    from equiproof.register.lot.lottery import seed_of

    if (signing_key is None) != (sealed is None):
        raise typer.BadParameter("give both --signing-key and --sealed, or neither: they go together")
    period = PeriodFolder(folder)
    done = "" if signing_key is None or sealed is None else _step(period, signing_key, sealed)
    if beacon is not None:
        bring_round(period, _signature(beacon))
        done = "BROUGHT the round"
    try:
        seed = seed_of(period).hex()
        reason = ""
    except NotDrawnError as error:
        seed = ""
        reason = str(error)
    lines = [done, f"DRAWN by seed {seed}\n  next: `equiproof lot answer`" if seed else reason]
    document = {"period": period.period.digest.hex(), "done": done, "seed": seed or None, "waiting": reason or None}
    tell(as_json=as_json, document=document, text="\n".join(filter(None, lines)))


def _step(period: PeriodFolder, signing_key: Path, sealed: Path) -> str:
    """Seal or open, whichever is next; return what was done."""
    from equiproof.register.lot.conduct import next_step, open_seal, seal

    signer = read_signer(signing_key)
    step = next_step(period, signer)
    if step in ("wait", "done"):
        return ""
    now = datetime.now(UTC)
    path = (seal if step == "seal" else open_seal)(period, signer, sealed, now)
    return f"{'SEALED' if step == 'seal' else 'OPENED'} {path}"


def _signature(path: Path) -> bytes:
    """Read the signature of a round from drand's answer; raises LotError naming the file."""
    import msgspec

    from equiproof.circuits.canonical import read_limited
    from equiproof.register.lot.errors import LotError

    try:
        return bytes.fromhex(msgspec.json.decode(read_limited(path), type=dict[str, Any])["signature"])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, KeyError, TypeError, ValueError):
        raise LotError(
            f"{path}: save drand's answer as it comes, a JSON object with a `signature`: this is none"
        ) from None


@app.command()
def answer(
    folder: Folder,
    log: LogPlace,
    owned: Annotated[
        Path, typer.Option("--from", help="A folder with your receipts, certificates and bundles; folders in it count.")
    ],
    signing_key: Annotated[
        Path, typer.Option("--signing-key", help="Your secret signing key, the one that you sealed with.")
    ],
    groups: Annotated[
        Path | None, typer.Option("--groups", help="The group of each receipt, by its digest: a JSON object of texts.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Answer each drawn receipt with its certificate or "none", signed."""
    import msgspec

    from equiproof.circuits.canonical import parse, read_limited
    from equiproof.register.lot.answering import answer
    from equiproof.register.lot.check import Pins
    from equiproof.register.lot.folder import PeriodFolder
    from equiproof.register.lot.lottery import draw

    period = PeriodFolder(folder)
    signer = read_signer(signing_key)
    counted = _closed(period, log, Pins()).counted
    named = {} if groups is None else parse(read_limited(groups), dict[str, str], str(groups))
    drawn = draw(period, counted)
    answers = answer(period, counted.of(drawn.entries), drawn, owned, named, signer, datetime.now(UTC))
    path = period.write_answers(answers)
    certified = sum(one.certificate is not msgspec.UNSET for one in answers)
    text = (
        f"ANSWERED {len(answers)} drawn receipts: {certified} with a certificate, {len(answers) - certified} with none"
    )
    document = {"answers": str(path), "drawn": len(answers), "certificates": certified}
    tell(as_json=as_json, document=document, text=f"{text}\n  {path}")


@app.command()
@in_its_language
def check(
    folder: Folder,
    log: LogPlace,
    log_key: Annotated[str | None, typer.Option("--log-key", help=written("option.log_key_of_period"))] = None,
    witnesses: Annotated[Path | None, typer.Option("--witnesses", help=written("option.witnesses_of_close"))] = None,
    least: Annotated[
        int | None,
        typer.Option("--least-witnesses", min=1, help=written("option.least_witnesses_of_close")),
    ] = None,
    auditor: Annotated[list[str] | None, typer.Option("--auditor", help=written("option.auditor_key"))] = None,
    receipt: Annotated[Path | None, typer.Option("--receipt", help=written("option.receipt_counted"))] = None,
    html: Annotated[Path | None, typer.Option("--html", help=written("option.page"))] = None,
    checker: CheckerText = "auto",
    force: Force = False,
    language: LanguageText = "en",
    as_json: Json = False,
) -> None:
    """Check a period from its folder and the log alone.

    Counts the receipts, draws again, verifies every certificate, and computes what that shows of all decisions. Exits 0
    where the promised share is shown and every answer holds, 1 otherwise. With --receipt: 0 where it is counted.
    """
    from equiproof.circuits.files import refuse_taken, write_file
    from equiproof.register.lot.check import check
    from equiproof.register.lot.folder import PeriodFolder
    from equiproof.register.lot.report import Report

    words = words_of(language)
    refuse_taken(() if html is None else (html,), force=force)
    # Which program it is, the first certificate decides: the library takes memory that a lot without any does not need.
    program = chosen_program(checker)
    period = PeriodFolder(folder)
    pins = _pins(log_key, witnesses, least, auditor or [])
    closed = _closed(period, log, pins)
    if receipt is not None:
        raise typer.Exit(_own(closed, receipt, as_json=as_json))
    with mendable(checker), bar("verifying", quiet=as_json) as tick:
        outcome = check(closed, program, progress=tick)
    report = Report.of(outcome, pins)
    if html is not None:
        from equiproof.register.lot.page import page

        # A page is for people: it is in their language beside an object for programs too.
        with speaking(words.language):
            write_file(html, page(Report.of(outcome, pins)).encode(), force=force)
    tell(as_json=as_json, document=report.document, text=_text(report, html))
    raise typer.Exit(OK if outcome.kept and outcome.honest else REFUSED)


def _pins(log_key: str | None, witnesses: Path | None, least: int | None, auditors: list[str]) -> Pins:
    """Return what the reader knows from elsewhere."""
    from equiproof.register.lot.check import Pins
    from equiproof.verifier.notes import VerifierKey, parse_keys

    if least is not None and witnesses is None:
        raise typer.BadParameter(say("lot.witnesses_missing"))
    known: tuple[VerifierKey, ...] = ()
    if witnesses is not None:
        known = parse_keys(_lines(witnesses), str(witnesses), witnesses=True)
    return Pins(
        None if log_key is None else read_log_key(log_key),
        known,
        len(known) if least is None else least,
        [VerifierKey.parse(text) for text in auditors],
    )


def _closed(period: PeriodFolder, log: str, pins: Pins) -> Counting:
    """Check the close of a period under the log's key that the reader has, or else the period's own."""
    from equiproof.register.log import Log
    from equiproof.register.lot.check import read_close
    from equiproof.verifier.notes import VerifierKey

    return read_close(period, Log(log, VerifierKey.parse(period.period.log)), pins)


def _own(closed: Counting, path: Path, *, as_json: bool) -> int:
    """Tell whether a receipt is counted, and return the exit code."""
    from equiproof.register.lot.report import shown_period
    from equiproof.verifier.receipt import parse_receipt
    from equiproof.verifier.reports import said, yes
    from equiproof.verifier.words import for_terminal

    digest = load(parse_receipt, path).digest
    entry = closed.entry_of(digest)
    period = closed.folder.period
    name = for_terminal(shown_period(period.name))
    counted = {"counted": yes(entry is not None)}
    (sentence,) = said("lot", "receipt", counted, entry=str(entry), receipts=period.receipts, period=name)
    tell(
        as_json=as_json,
        document={"counted": entry is not None, "entry": entry, "receipt": digest},
        text=sentence,
    )
    return REFUSED if entry is None else OK


def _text(report: Report, html: Path | None) -> str:
    """Return the report for a terminal."""
    from equiproof.circuits.text import plain as harmless
    from equiproof.verifier.reports import said, some
    from equiproof.verifier.words import for_terminal

    lot = report.found
    period = report.found.period
    sentence = for_terminal(report.sentence).removesuffix(".")
    promised = " ".join(report.promised)
    counts = say("report.counts", drawn=period.drawn, certified=lot.certified)
    lines = [f"{sentence} {counts}.", for_terminal(report.drawn)]
    lines += [promised, for_terminal(report.answered)]
    failures = [line for one in lot.judgements if (line := _failure(one))]
    for heading in said("lot", "failures", {"failed": some(len(failures))}):
        lines += ["", heading]
    lines += failures
    for heading in said("lot", "groups", {"groups": some(len(report.groups))}):
        lines += ["", heading]
    for group, drawn, certified, by in report.groups:
        decided = ", ".join(f"{harmless(label)} {count}" for label, count in by.items())
        row = say("report.group", group=harmless(group), drawn=drawn, certified=certified, decided=decided)
        lines += [f"  {row}"]
    lines += ["", say("report.open_heading"), *(f"  - {for_terminal(one)}" for one in report.never)]
    if report.open:
        lines += ["", say("report.unchecked_heading"), *(f"  - {one}" for one in report.open)]
    return "\n".join([*lines, *([] if html is None else ["", say("page.written", path=str(html))])])


def _failure(one: Judgement) -> str:
    """Return the line of an answer that does not hold; empty for one that does."""
    from equiproof.circuits.text import plain as harmless

    if one.verdict == "left-out":
        return "  " + say("report.entry_left_out", entry=one.entry, why=harmless(one.why))
    if one.verdict == "refused":
        return "  " + say("report.entry_refused", entry=one.entry, why=harmless(one.why))
    return ""
