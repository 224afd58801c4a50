"""`equiproof prove` with many applicants: a table in, a folder of certificates with a manifest out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from equiproof.circuits.exit_codes import UNFAIR
from equiproof.circuits.text import several
from equiproof.cli.commands.common import load, tell, warn_of_sensitive
from equiproof.cli.commands.handed_out import HandedOut
from equiproof.cli.commands.portfolio import worst
from equiproof.cli.commands.recourse_many import LINES, Then, recourse_of_all
from equiproof.cli.console import remark, tally

if TYPE_CHECKING:
    from equiproof.prover.keys import StoredKey
    from equiproof.prover.linking import OwnLink
    from equiproof.prover.many.applicants import Applicant
    from equiproof.prover.many.forecast import Forecast
    from equiproof.prover.many.manifest import Entry, Manifest
    from equiproof.prover.many.run import Files, Run
    from equiproof.prover.many.task import Setting
    from equiproof.prover.opening import Opening

_MOST_LISTED = 20


@dataclass(frozen=True)
class Asked:
    """The options of a run over many applicants, as :mod:`.proving` has them.

    `letter` is what letters say, `recourse` what is wanted after the proofs.
    """

    folder: Path
    names: str | None
    nonces: str | None
    max_seconds: float | None
    disclose: bool
    bundles: bool
    letter: dict[str, str] | None
    recourse: Then | None
    jobs: int
    engine: str
    resume: bool
    as_json: bool


def prove_many(
    rows: Path, opening: Path, context: Path | None, find: Callable[[Opening], StoredKey], request: Asked
) -> int:
    """Prove every row and return the exit code of the worst verdict; nothing long begins before all is checked."""
    from equiproof.prover.linking import published
    from equiproof.prover.many.applicants import read_applicants
    from equiproof.prover.many.decided import read_decided
    from equiproof.prover.many.examine import Examiner
    from equiproof.prover.many.manifest import Header
    from equiproof.prover.many.run import Run
    from equiproof.prover.many.task import Setting
    from equiproof.prover.opening import load_opening

    if not request.jobs:
        raise typer.BadParameter("--jobs: want at least 1, or -1 for one per processor, not 0")
    decided = rows.is_dir()
    if decided:
        _refuse_fixed(rows, {"--id": request.names, "--nonce": request.nonces, "--context": context})
    common = {} if context is None else common_context(context)
    owned = load_opening(opening)
    key = find(owned)
    _refuse_no_room(owned, key)
    after = None if request.recourse is None else request.recourse.prepared(owned)
    read = partial(read_applicants, rows, owned.spec, common, request.names, request.nonces, owned.encode)
    applicants = read_decided(rows, owned) if decided else read()
    warn_of_sensitive(rows, owned.spec, {name for one in applicants for name in one.sensitive})
    link = published(owned, key, opening.parent)
    files = _files(owned, key, link, request, applicants)
    setting = Setting.of(opening, key, max_seconds=request.max_seconds, disclose=request.disclose)
    header = Header.of(
        *(owned, key, applicants, common),
        max_seconds=request.max_seconds,
        disclose=request.disclose,
        bundles=request.bundles,
        letter=request.letter,
    )
    run = Run(request.folder, header, applicants, Examiner(owned, key, link))
    with run.manifest(resume=request.resume) as manifest:
        try:
            _go(owned, key, request, run, manifest, setting, files)
        except BaseException:  # Ctrl-C as well
            if kept_rows := len(manifest.entries):
                remark(f"{kept_rows:,} of {len(applicants):,} rows are kept; --resume proves the others")
            raise
        entries = [manifest.entries[row] for row in sorted(manifest.entries)]
    document, text, code = _document(entries, request), _text(entries, request), worst(one.verdict for one in entries)
    if after is not None:
        boxes, codes = after
        then, outcomes = recourse_of_all(
            *(request.folder, owned, boxes, request.letter, codes, {one.name: one.reference for one in applicants}),
            max_seconds=request.max_seconds,
            quiet=request.as_json,
        )
        document |= {"recourse": outcomes}
        text += f"\n  recourse of refused applicants: {_outcomes(outcomes)}; your lines are in {request.folder / LINES}"
        code = UNFAIR if UNFAIR in (code, then) else code or then
    tell(as_json=request.as_json, document=document, text=text)
    return code


def _outcomes(counts: Mapping[str, int]) -> str:
    """Write how many of each outcome there are."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "nobody was refused"


def _refuse_no_room(owned: Opening, key: StoredKey) -> None:
    """Raise CapacityError where not even the values of the sensitive features fit the key: no row could be proven."""
    from equiproof.certify.errors import CapacityError
    from equiproof.circuits.schemes import counted, least_room, scheme_of

    shape = key.document.shape
    scheme = scheme_of(shape.scheme)
    if (least := least_room(scheme, len(owned.spec.domain_table))) > shape.capacity:
        raise CapacityError(least, shape.capacity, None, counted(scheme))


def _refuse_fixed(folder: Path, options: Mapping[str, object]) -> None:
    """Raise typer's own error for an option about what the receipts of a folder have fixed."""
    for option, value in options.items():
        if value is not None:
            raise typer.BadParameter(f"{option} is for a table; {folder} is a folder, whose receipts fix it")


def common_context(path: Path) -> dict[str, str]:
    """Read what the contexts of all applicants share; each has a nonce of its own, so that none is read here.

    Raises CertificateFormatError for a nonce, and for what is no context.
    """
    from equiproof.verifier import CertificateFormatError
    from equiproof.verifier.documents import parse_texts
    from equiproof.verifier.errors import Reason

    common = load(parse_texts, path)
    if "nonce" in common:
        raise CertificateFormatError(
            f"{path}: field nonce: each applicant has one of their own; leave it out here (a column: --nonce)",
            Reason.WRONG_FIELDS,
        )
    return common


def _go(
    owned: Opening, key: StoredKey, request: Asked, run: Run, manifest: Manifest, setting: Setting, files: Files
) -> None:
    """Say what the missing rows will cost, and have them proven."""
    from equiproof.prover.many.engines import crew
    from equiproof.prover.many.forecast import forecast

    ahead = run.missing(manifest)
    if manifest.entries and not request.as_json:
        remark(f"{len(manifest.entries):,} of {len(run.applicants):,} rows are kept")
    if not ahead:
        return
    with crew(request.engine, setting, request.jobs) as ready:
        if not request.as_json:
            cost = forecast(owned, key, ahead, request.max_seconds, jobs=ready.jobs, cores=ready.cores)
            remark(_cost(cost, ready.cores) + ", recourse not counted" * (request.recourse is not None))
        try:
            with tally(quiet=request.as_json) as tick:
                run.go(manifest, ready.engine, files, tick)
        finally:
            if ready.ended and not request.as_json:
                remark(_ended(len(ready.ended)))


def _ended(count: int) -> str:
    """Say how many processes were ended from outside."""
    what = "1 process was" if count == 1 else f"{count:,} processes were"
    return f"{what} ended from outside, perhaps for lack of memory (fewer --jobs take less), and replaced"


def _cost(cost: Forecast, cores: int) -> str:
    """Write a forecast as one line, such as "1,000 rows, about 7 minutes on 2 cores, 400 MB of memory"."""
    time = (
        "less than a minute" if cost.seconds < 60 else f"{'more than' if cost.more else 'about'} {_time(cost.seconds)}"
    )
    cores_text = "1 core" if cores == 1 else f"{cores} cores"
    return f"{cost.rows:,} row{'s' * (cost.rows > 1)}, {time} on {cores_text}, {cost.megabytes:,.0f} MB of memory"


def _time(seconds: float) -> str:
    """Write a time of at least a minute with two digits that mean something."""
    for length, name, most in ((86400, "days", 2), (3600, "hours", 2), (60, "minutes", 1)):
        if seconds >= most * length:
            count = seconds / length
            return f"{count:.0f} {name if round(count) > 1 else name[:-1]}"
    return "a minute"


def _files(owned: Opening, key: StoredKey, link: OwnLink | None, request: Asked, applicants: list[Applicant]) -> Files:
    """Return what makes the files of a row: certificate, query and context, or a bundle; and a letter if asked for.

    Raises LetterError for what cannot stand in a letter of any of the applicants.
    """
    from equiproof.prover.many.run import plain_files

    if not request.bundles and request.letter is None:
        return plain_files
    made = HandedOut(owned.public(), key.folder, link, bundles=request.bundles, letter=request.letter)
    if request.letter is not None:
        for one in applicants:
            made.sender(one)
    return made


def _document(entries: Iterable[Entry], request: Asked) -> dict[str, Any]:
    """Return the summary as a JSON document; the manifest has the rows."""
    counts, rows = _counts(entries)
    return {**counts, "unfair_rows": rows["unfair"], "undecided_rows": rows["undecided"], "folder": str(request.folder)}


def _text(entries: Iterable[Entry], request: Asked) -> str:
    """Write the summary: how many of each verdict, and which rows have no certificate."""
    counts, rows = _counts(entries)
    lines = [f"PROVEN {counts['fair']:,} of {counts['rows']:,} rows"]
    without = {verdict: rows[verdict] for verdict in ("unfair", "undecided") if rows[verdict]}
    lines += [f"  {len(numbers):,} {verdict}: rows {listed(numbers)}" for verdict, numbers in without.items()]
    lines.append(f"  what applicants get is in {request.folder / 'applicants'}")
    lines.append(f"  what is yours alone, counterexamples too, is in {request.folder / 'manifest.jsonl'}")
    return "\n".join(lines)


def listed(rows: Sequence[int]) -> str:
    """Write the numbers of rows: of many the first, how many are left out, and the last."""
    return several([str(row) for row in rows], _MOST_LISTED)


def _counts(entries: Iterable[Entry]) -> tuple[dict[str, int], dict[str, list[int]]]:
    """Return the number of rows and of each verdict, and the rows of each verdict."""
    rows: dict[str, list[int]] = {"fair": [], "unfair": [], "undecided": []}
    for entry in entries:
        rows[entry.verdict].append(entry.row)
    return {"rows": sum(map(len, rows.values())), **{name: len(numbers) for name, numbers in rows.items()}}, rows
