"""`equiproof verify-many`: check a folder or a file of certificates against one commitment, keys and a policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from equiproof.circuits.exit_codes import MISUSED, OK, REFUSED
from equiproof.circuits.tables import say, spoken
from equiproof.cli.answers import LanguageText, in_its_language, words_of
from equiproof.cli.commands.common import CommitmentFile, Force, Json, KeysFolder, tell
from equiproof.cli.commands.demanding import NOTHING, Demanded, demanding
from equiproof.cli.commands.demands import CheckerText, OwnLink, all_links, chosen_program, mendable
from equiproof.cli.console import bar

if TYPE_CHECKING:
    from equiproof.verifier.facts import Policy
    from equiproof.verifier.many import Demands, Judged, Row, Source
    from equiproof.verifier.programs import Checker

_MOST_SHOWN = 20
"""How many of the files that are not accepted the text names."""

_MOST_KEPT = 1000
"""How many of them the JSON object has."""

Certificates = Annotated[
    Path,
    typer.Argument(
        help="A folder of certificates (*.json), bundles (*.equiproof) and folders with a certificate.json, or a file "
        "of one certificate a line (JSONL)."
    ),
]
LogProofForAll = Annotated[
    Path | None,
    typer.Option(
        "--log-proof",
        help="One proof for all that the commitment is in a public log. Default: the one beside each certificate.",
    ),
]
Jobs = Annotated[int, typer.Option(help="How many processes verify in parallel; -1: one per processor.", min=-1)]
ResultsFile = Annotated[
    Path | None,
    typer.Option("--out", help="Where to write the results: a JSON object a line, one for each file (JSONL)."),
]


@demanding("verify-many")
@in_its_language
def verify_many(
    certificates: Certificates,
    commitment: CommitmentFile,
    keys: KeysFolder,
    demanded: Demanded = NOTHING,
    log_proof: LogProofForAll = None,
    link: OwnLink = None,
    checker: CheckerText = "auto",
    jobs: Jobs = 1,
    out: ResultsFile = None,
    force: Force = False,
    language: LanguageText = "en",
    as_json: Json = False,
) -> None:
    """Verify a folder or a file of certificates.

    A file that is broken is one of the results, not the end. Exits 0 if every certificate is verified, 1 if any is
    refused, otherwise 2 if any is malformed.
    """
    words_of(language)  # refuses an unknown language
    run = Run(certificates, commitment, keys, demanded, log_proof, checker, jobs, out, link=link)
    run.judge(force=force, as_json=as_json)


@dataclass(frozen=True)
class Run:
    """The words of a command that verifies many, as they were typed; `boxes` as of :class:`.many.Demands`."""

    certificates: Path
    commitment: Path
    keys: Path
    demanded: Demanded
    log_proof: Path | None
    checker: str
    jobs: int
    out: Path | None
    boxes: bool = False
    link: Path | None = None

    def judge(self, *, force: bool, as_json: bool) -> NoReturn:
        """Verify everything, print and write what was found, and end with the exit code."""
        from equiproof.circuits.canonical import read_limited
        from equiproof.circuits.files import refuse_taken
        from equiproof.verifier.many import Source
        from equiproof.verifier.programs import choose

        out, program = self.out, choose(chosen_program(self.checker))
        refuse_taken(() if out is None else (out,), force=force)
        for_all = None if self.log_proof is None else read_limited(self.log_proof)
        demands = self._demands(self.demanded.policy(log_proof=for_all or b""), for_all, program)
        with mendable(self.checker):
            summary = _summary(Source(self.certificates), demands, self.jobs, out, force=force, quiet=as_json)
        tell(as_json=as_json, document=summary.document(program, out), text=summary.text(program, out))
        raise typer.Exit(summary.exit_code)

    def _demands(self, policy: Policy, log_proof: bytes | None, checker: Checker) -> Demands:
        """Read commitment and keys; where processes share the work, each has one thread of the native library."""
        from equiproof.verifier import TrustStore
        from equiproof.verifier.documents import load_commitment
        from equiproof.verifier.many import Demands

        if not self.jobs:
            raise typer.BadParameter("--jobs: want at least 1, or -1 for one per processor, not 0")
        threads = 0 if self.jobs == 1 else 1
        commitment, keys = load_commitment(self.commitment), TrustStore.open(self.keys)
        links = () if self.boxes else all_links(self.link, keys, self.commitment.parent)
        return Demands(commitment, keys, policy, checker, threads, log_proof, self.boxes, links)


def _summary(source: Source, demands: Demands, jobs: int, out: Path | None, *, force: bool, quiet: bool) -> Summary:
    """Verify everything, write the results, and return their summary."""
    from equiproof.circuits.files import write_file

    summary = Summary(demands.boxes)
    lines = _lines(source, demands, jobs, summary, quiet=quiet)
    if out is None:
        for _ in lines:
            pass
    else:
        write_file(out, lines, force=force)
    return summary


@dataclass
class Summary:
    """What became of all files together; `names` are those of verified certificates, `not_accepted` the first rows.

    `boxes`: they are box certificates.
    """

    boxes: bool = False
    verdicts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)
    keys: Counter[str] = field(default_factory=Counter)
    left_open: Counter[str] = field(default_factory=Counter)
    names: set[bytes] = field(default_factory=set)
    not_accepted: list[Row] = field(default_factory=list)

    def add(self, judged: Judged) -> None:
        """Count the verdicts of a chunk."""
        self.left_open.update(judged.left_open)
        for row in judged.rows:
            self.verdicts[row.verdict] += 1
            if row.certificate is not None and row.key is not None:
                self.names.add(bytes.fromhex(row.certificate))
                self.keys[row.key] += 1
            if row.reason is not None:
                self.reasons[row.verdict, row.reason] += 1
                if len(self.not_accepted) < _MOST_KEPT:
                    self.not_accepted.append(row)

    @property
    def total(self) -> int:
        """The number of certificates: every file but those of other kinds."""
        return self.verdicts.total() - self.verdicts["other"]

    @property
    def exit_code(self) -> int:
        """The exit code: a refusal weighs more than a malformed file."""
        if self.verdicts["refused"]:
            return REFUSED
        return MISUSED if self.verdicts["malformed"] else OK

    def document(self, checker: str, out: Path | None) -> dict[str, Any]:
        """Return all of it as a JSON document; `not_accepted` has the first thousand only."""
        import msgspec

        return {
            "box_certificates" if self.boxes else "certificates": self.total,
            "different": len(self.names),
            **{verdict: self.verdicts[verdict] for verdict in ("verified", "refused", "malformed", "other")},
            "reasons": [
                {"verdict": verdict, "reason": reason, "count": count}
                for (verdict, reason), count in self.reasons.most_common()
            ],
            "keys": dict(self.keys.most_common()),
            "not_accepted": [msgspec.to_builtins(row) for row in self.not_accepted],
            "checks_not_made": dict(self.left_open),
            "checker": checker,
            "out": None if out is None else str(out),
        }

    def text(self, checker: str, out: Path | None) -> str:
        """Write the table: how many are verified, why others are not, which these are, and what was not checked."""
        from equiproof.verifier.reports import given, said, some

        verified, kind = self.verdicts["verified"], {"kind": "boxes" if self.boxes else "certificates"}
        same, count = some(verified - len(self.names)), len(self.names)
        first, *rest = said("many", "verified", kind | {"same": same}, verified=verified, total=self.total, count=count)
        lines = [first, *(f"  {line}" for line in rest)]
        keys = self.keys.most_common()
        lines += ["  " + say("many.under_key", count=count, key=f"{key[:16]}...") for key, count in keys]
        if self.not_accepted:
            heading = say("many.not_accepted", count=self.total - verified)
            lines += ["", heading, *self._reasons(), "", *self._files()]
        others = self.verdicts["other"]
        for line in said("many", "left_out", kind | {"others": some(others)}, count=others):
            lines += ["", line]
        for heading in said("many", "unchecked", kind | {"verified": some(verified)}):
            lines += ["", heading, *self._open()]
        lines += [
            "",
            say("many.by_library") if checker == "native" else say("many.in_python"),
            *said("many", "out", {"out": given(out)}, path=str(out)),
        ]
        return "\n".join(lines)

    def _reasons(self) -> list[str]:
        """Return a line for each reason, the most frequent first, with what it means."""
        counts = self.reasons.most_common()
        width = len(str(counts[0][1]))
        widest = max(len(reason) for (_, reason), _ in counts)
        return [
            f"  {count:>{width}}  {verdict:<9}  {reason:<{widest}}  {_meaning(reason)}"
            for (verdict, reason), count in counts
        ]

    def _files(self) -> list[str]:
        """Return a line for each of the first files that are not accepted."""
        from equiproof.circuits.text import plain
        from equiproof.verifier.reports import said, some

        lines = [
            f"  {plain(row.file)}: {row.verdict}: {plain(row.message or '')}" for row in self.not_accepted[:_MOST_SHOWN]
        ]
        more = self.total - self.verdicts["verified"] - len(lines)
        return [*lines, *(f"  {line}" for line in said("many", "more_files", {"more": some(more)}, count=more))]

    def _open(self) -> list[str]:
        """Return a line for each of the first checks that were left open; those about a log proof name its time."""
        from equiproof.verifier.reports import said, some

        lines = [f"  - {check}{self._of(count)}" for check, count in list(self.left_open.items())[:_MOST_SHOWN]]
        more = len(self.left_open) - len(lines)
        return [*lines, *(f"  {line}" for line in said("many", "more_checks", {"more": some(more)}, count=more))]

    def _of(self, count: int) -> str:
        """Say of how many certificates a check was left open, if not of all."""
        from equiproof.verifier.reports import said

        about = "all" if count == self.verdicts["verified"] else "some"
        return "".join(f" {line}" for line in said("many", "about", {"about": about}, count=count))


def _meaning(reason: str) -> str:
    """Return what a reason means for the reader, in one sentence."""
    from equiproof.cli.answers import shown
    from equiproof.verifier.refusal import refusal

    answer = refusal(reason, "", spoken())
    return shown(answer["heading"] if answer["outcome"] == "not-a-certificate" else answer["below"][0])


def _lines(source: Source, demands: Demands, jobs: int, summary: Summary, *, quiet: bool) -> Iterator[bytes]:
    """Verify everything, and yield each result as a line; raises CertificateFormatError if there is no certificate."""
    import msgspec

    from equiproof.verifier import CertificateFormatError
    from equiproof.verifier.errors import Reason
    from equiproof.verifier.many import verify_all

    with bar("verifying", quiet=quiet) as tick:
        for judged in verify_all(source, demands, jobs, tick):
            summary.add(judged)
            yield from (msgspec.json.encode(row) + b"\n" for row in judged.rows)
    if not summary.total:
        where = str(source.path)
        none = say("many.no_box", path=where) if demands.boxes else say("many.no_certificate", path=where)
        raise CertificateFormatError(none, Reason.UNREADABLE)
