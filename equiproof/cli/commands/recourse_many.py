"""`equiproof prove --out-dir --recourse`: recourse of everybody whom a run of proofs refused, in their own folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from equiproof.circuits.exit_codes import EXHAUSTED, OK, UNFAIR
from equiproof.cli.commands.recourse import certified, printed, remove_others, told_of, witness_of
from equiproof.cli.console import bar

if TYPE_CHECKING:
    from equiproof.prover.box import BoxProver
    from equiproof.prover.keys import StoredKey
    from equiproof.prover.opening import Opening
    from equiproof.verifier.reason_codes import ReasonCodes

FOLDER = "recourse"
"""The folder of what an applicant gets, in theirs."""

LINES = "recourse.jsonl"
"""The owner's own file, beside the manifest: a line for each refused applicant, once their files are there."""


@dataclass(frozen=True)
class Then:
    """What is wanted after the proofs: the folder of a key of boxes, the owner's secret, a table of reasons."""

    keys: Path
    secret: Path | None
    reasons: Path | None

    def prepared(self, owned: Opening) -> tuple[StoredKey, ReasonCodes | None]:
        """Return key and table, before anything long begins; raises for a spec without rules, too."""
        from equiproof.circuits.canonical import read_limited
        from equiproof.prover import KeyStore
        from equiproof.prover.recourse import refuse_without_rules
        from equiproof.verifier.reason_codes import parse_reason_codes

        refuse_without_rules(owned.spec)
        if (file := self.reasons) is None:
            return KeyStore(self.keys, self.secret).find_box(owned), None
        codes = parse_reason_codes(read_limited(file), str(file), owned.spec)
        return KeyStore(self.keys, self.secret).find_box(owned), codes


def recourse_of_all(
    folder: Path,
    owned: Opening,
    key: StoredKey,
    letter: Mapping[str, str] | None,
    codes: ReasonCodes | None,
    references: Mapping[str, str],
    *,
    max_seconds: float | None,
    quiet: bool,
) -> tuple[int, dict[str, int]]:
    """Find and prove the recourse of each refused applicant of a run; return an exit code and the counts of outcomes.

    `references` are those of the decisions by the names of folders, as letters show them, and `codes` the words of
    their reasons. Whom an earlier run did is
    left as it is. Nothing is looked for of who is granted, or treated unfairly.
    """
    from equiproof.circuits.canonical import read_limited
    from equiproof.prover.box import BoxProver
    from equiproof.prover.many.manifest import APPLICANTS

    places = sorted(place for place in (folder / APPLICANTS).iterdir() if (place / "query.json").is_file())
    lines = folder / LINES
    done = [msgspec.json.decode(line) for line in read_limited(lines).splitlines()] if lines.is_file() else []
    known = {line["name"] for line in done}
    with BoxProver(owned, key) as prover, bar(FOLDER, quiet=quiet) as tick:
        for number, place in enumerate(places, start=1):
            if (
                place.name not in known
                and (line := _one(place, prover, letter, codes, references.get(place.name, ""), max_seconds))
                is not None
            ):
                done.append(line)
                with lines.open("ab") as file:
                    file.write(msgspec.json.encode(line) + b"\n")
            tick(number, len(places))
    outcomes = Counter(line["outcome"] for line in done)
    code = UNFAIR if outcomes["dependent"] else EXHAUSTED if outcomes["undecided"] else OK
    return code, dict(outcomes)


def _one(
    place: Path,
    prover: BoxProver,
    letter: Mapping[str, str] | None,
    codes: ReasonCodes | None,
    reference: str,
    max_seconds: float | None,
) -> dict[str, Any] | None:
    """Write the files of one applicant, and return the owner's line; None for one who is not refused."""
    from equiproof.certify.recourse.search import NotRefusedError
    from equiproof.circuits.allowed import wanted_label
    from equiproof.circuits.canonical import read_limited
    from equiproof.circuits.files import write_files
    from equiproof.prover.recourse import recourse
    from equiproof.verifier import parse_context
    from equiproof.verifier.documents import load_query
    from equiproof.verifier.words import Words

    owned, key = prover.opening, prover.key
    row = load_query(place / "query.json").row(owned.spec)
    context_file = place / "context.json"
    context = parse_context(read_limited(context_file), str(context_file))
    try:
        found = recourse(owned, row, key=key, seconds=max_seconds)
    except NotRefusedError:
        return None
    wanted = owned.spec.labels[wanted_label(owned.spec)]
    files, secret, said = certified(prover, found, wanted, context, place / FOLDER)
    if letter is not None:
        words = Words(letter["language"])
        reasons = [] if codes is None else codes.of((way.changed for way in found.ways), words)
        told = told_of(found, row, wanted, said, reasons=reasons)
        page = place / FOLDER / "letter.html"
        files[page] = printed(owned.spec, told, letter["lender"], letter["language"], reference)
        secret.append(page)
    remove_others(place / FOLDER, files)
    if files:
        write_files(files, secret=secret, force=True)
    line: dict[str, Any] = {"name": place.name, "outcome": found.outcome, "why": found.why}
    line |= {"cut": found.cut, "within": found.within}
    line["ways"] = [list(way.changed) for way in found.ways]
    return line | {"seconds": round(found.seconds, 4)} | witness_of(owned.spec, found)
