"""The check of an evidence package: the certificate is verified anew, and dated by the log once its lifetime is over.

A proof of today may be forged one day: a certificate has a stated lifetime (docs/threat-model.md). After it, a proof
that verifies shows nothing, unless the certificate's very file was in a public log before, as witnesses saw it then.
The time is that by which as many witnesses as are pinned had seen it, so that fewer liars cannot date it back; a log
proof of the model or of the receipt does not do, since a proof about them could still be forged later. Under a kept
key the link is a proof, too: its very file must have been in the log as well. Who made the
package chose everything in it: dates can only shorten the lifetime, its policy pins nothing for the reader, and its
reports are shown as what was said then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, NoReturn

import msgspec

from equiproof.circuits.spec import Spec
from equiproof.circuits.text import plain
from equiproof.verifier.bars import put_right
from equiproof.verifier.bundle import parse_bundle
from equiproof.verifier.combined import AllOf
from equiproof.verifier.documents import CommitmentDocument, RawValue
from equiproof.verifier.entries import LinkEntry, certificate_entry, is_date, link_entry
from equiproof.verifier.errors import PackageError, PackageReason
from equiproof.verifier.facts import Policy
from equiproof.verifier.listed import digest
from equiproof.verifier.logged import ForReceipt, Logged, LogPins, Standing, shown_time, standing
from equiproof.verifier.package import Package, PackagedCorrection
from equiproof.verifier.package_reports import policy_at
from equiproof.verifier.presented import Presented, of_bundle
from equiproof.verifier.programs import Choice
from equiproof.verifier.report import Report, parse_report
from equiproof.verifier.trust import TrustStore
from equiproof.verifier.verify import Verified

LIFETIME_YEARS = 5
"""The stated lifetime of a certificate."""

NO_DATE = "it has neither a context with a date nor a receipt, nor a log proof"
NO_CERTIFICATE_PROOF = "a log proof of the certificate's file"
NO_LINK_PROOF = "a log proof of the link's file"
NO_LOG = "the log's key (--log-key)"
NO_WITNESSES = "witnesses of the log (--witnesses)"
NO_MODEL_PROOF = "a log proof of the model's commitment"
NO_BOX_PROOF = "a date of the recourse: a log proof of its box certificates (box verify --dated-by)"


@dataclass(frozen=True)
class Reader:
    """What the reader brings: a policy, pinned parts, what is pinned of a log, and the time in POSIX seconds.

    `letter` and `model_card` are the bytes of files to compare.
    """

    policy: Policy
    now: int
    pins: LogPins | None = None
    commitment: CommitmentDocument | None = None
    keys: TrustStore | None = None
    checker: Choice = "auto"
    letter: bytes | None = None
    model_card: bytes | None = None

    @property
    def today(self) -> date:
        """The day in UTC."""
        return _day(self.now)


@dataclass(frozen=True)
class Checked:
    """A package that was accepted; made by :func:`check_package` only.

    `as_of` is the time of the witnessed checkpoint, in UTC, where the lifetime is over: then the certificate is valid
    as of that time, and "" else. `seen` is that time wherever it is known. `ends` is the lifetime's last day. `lacking`
    names what is missing to date the certificate by a log; once the lifetime is over, a recourse is left out and named
    there: nothing in a package dates its box certificates. `pair` is what :func:`check_pair` says, once it was asked.
    """

    package: Package
    presented: Presented
    verified: Verified
    reports: tuple[Report, ...]
    as_of: str
    seen: str
    ends: date
    lacking: tuple[str, ...]
    compared: tuple[str, ...]
    pair: str = ""

    def document(self) -> dict[str, Any]:
        """Return what was found as a JSON document."""
        package = self.package
        return {
            **self.verified.document(self.presented.query),
            "verdict": "valid-as-of" if self.as_of else "verified",
            "as_of": self.as_of or None,
            "seen_by_witnesses": self.seen or None,
            "lifetime_ends": self.ends.isoformat(),
            "missing": list(self.lacking),
            "said_then": [
                {"checker": one.checker, "at": one.at, "verdict": one.verdict, "reason": one.reason, "said": one.said}
                for one in self.reports
            ],
            "decision": package.decision,
            "made": package.made,
            "keep_until": package.keep_until,
            "letters": dict(package.letters),
            "model_card": package.model_card,
            "compared": list(self.compared),
            "pair": self.pair or None,
            "corrections": [msgspec.to_builtins(one) for one in package.corrections],
        }


def check_package(package: Package, where: str, reader: Reader) -> Checked:
    """Return what holds of a package, or raise.

    Raises CertificateFormatError naming `where` and the file for a malformed part, VerificationError as a verification
    of the bundle does, PackageError for parts that do not belong together, and for a lifetime that is over without a
    witnessed log proof of the certificate: it names what is missing.
    """
    inside = f"{where}: certificate.equiproof"
    presented = of_bundle(parse_bundle(package.bundle, inside), inside)
    verified = presented.verify(_required(presented, reader), reader.commitment, reader.keys, reader.checker)
    made = int(datetime.fromisoformat(package.made).timestamp())
    # The package's own policy is judged as of the day when it was made. The proof was checked a line before.
    presented.before_proof(policy_at(package.policy, f"{where}: policy.json", presented, made))
    reports = tuple(_reports(package, presented, where))
    seen_time = _seen(package, presented, reader, where)
    ends = _ends(presented, seen_time, reader.today)
    gaps = tuple(_lacking(package, presented, reader))
    all_seen = _all_seen(seen_time, package, presented, reader, where)
    as_of = _as_of(all_seen, ends, gaps) if reader.today > ends else ""
    if as_of and verified.recourse:
        # No log proof in the package is about a box certificate: of today's proofs somebody may have forged it.
        verified, gaps = replace(verified, recourse=()), (*gaps, NO_BOX_PROOF)
    shown = "" if seen_time is None else shown_time(seen_time)
    return Checked(package, presented, verified, reports, as_of, shown, ends, gaps, tuple(_compared(package, reader)))


def check_pair(one: Checked, other: Checked) -> str:
    """Return what two packages that were accepted say of a correction, in a line; raises PackageError.

    Each names the other one and its receipt, both say the same, the second was received later, and the features that
    they say were put right are those that differ.
    """
    pairs = [(mine, its) for mine in one.package.corrections for its in other.package.corrections]
    pair = next((both for both in pairs if _name_each_other(one, other, *both)), None)
    if pair is None:
        raise PackageError(
            "give the package of the decision that this one corrects, or that corrects it: the two do not name each "
            "other with one record",
            PackageReason.OTHER_PAIR,
        )
    first, second = (one, other) if pair[0].place == "first" else (other, one)
    data = [_data(checked) for checked in (first, second)]
    if None in data or put_right(*(found for found in data if found)) != list(pair[0].changed):
        raise PackageError(
            "the features that the record says were put right are not those that differ in the packages",
            PackageReason.OTHER_PAIR,
        )
    return (
        f"decision {second.package.decision} was made with {', '.join(map(plain, pair[0].changed))} "
        f"of decision {first.package.decision} put right"
    )


def _name_each_other(one: Checked, other: Checked, mine: PackagedCorrection, its: PackagedCorrection) -> bool:
    """Return whether two records are one, and about these two packages in their order."""
    here, there = one.presented.receipt, other.presented.receipt
    if here is None or there is None or mine.place == its.place:
        return False
    first, second = (here, there) if mine.place == "first" else (there, here)
    return (
        (mine.other, mine.other_receipt) == (other.package.decision, there.digest)
        and (its.other, its.other_receipt) == (one.package.decision, here.digest)
        and first.time <= second.time
        and msgspec.structs.replace(
            its, place=mine.place, other=mine.other, other_receipt=mine.other_receipt
        ) == mine
    )  # fmt: skip


def _data(checked: Checked) -> tuple[Spec, Mapping[str, RawValue]] | None:
    """Return spec and values of a package's applicant."""
    presented = checked.presented
    if presented.commitment is None or presented.query is None:
        return None
    return presented.commitment.spec, presented.query.features


def _required(presented: Presented, reader: Reader) -> Policy:
    """Return the reader's policy, with what the pinned log must hold; the package's own policy is no part of it."""
    policies = [reader.policy]
    pins = reader.pins
    if pins is not None and presented.log_proof is not None:
        policies.append(Logged(pins, presented.log_proof, reader.now))
    elif pins is not None and presented.receipt is not None and presented.receipt_proof:
        policies.append(ForReceipt(presented.receipt, True, pins, presented.receipt_proof, reader.now))
    return AllOf(*policies)


def _reports(package: Package, presented: Presented, where: str) -> Iterator[Report]:
    """Yield the reports; raises PackageError for one of another certificate, policy or program than it stands for."""
    of = digest(presented.certificate.to_bytes()), digest(package.policy)
    for checker, data in (("native", package.native_report), ("python", package.python_report)):
        if data is None:
            continue
        report = parse_report(data, f"{where}: {checker}.report.json")
        if (report.certificate, report.policy) != of or report.checker != checker:
            raise PackageError(
                f"{where}: {checker}.report.json is about another certificate, policy or program",
                PackageReason.OTHER_REPORT,
            )
        yield report


def _seen(package: Package, presented: Presented, reader: Reader, where: str) -> int | None:
    """Return by when witnesses had seen the certificate in the log, None where nothing shows it."""
    if package.certificate_proof is None or reader.pins is None:
        return None
    place: Standing = standing(package.certificate_proof, reader.pins, reader.now, f"{where}: certificate.tlog-proof")
    if place.entry.data != certificate_entry(presented.certificate.to_bytes()).data:
        raise PackageError(
            f"{where}: certificate.tlog-proof: the entry is not of this certificate", PackageReason.OTHER_ENTRY
        )
    return place.since


def _all_seen(seen: int | None, package: Package, presented: Presented, reader: Reader, where: str) -> int | None:
    """Return by when witnesses had seen all proofs: the certificate, seen by `seen`, and a kept key's link.

    None where nothing shows it. Raises PackageError for a log proof of another link.
    """
    if presented.link is None:
        return seen
    if package.link_proof is None or reader.pins is None or presented.commitment is None:
        return None
    place: Standing = standing(package.link_proof, reader.pins, reader.now, f"{where}: link.tlog-proof")
    entry = place.entry
    if not isinstance(entry, LinkEntry) or entry != link_entry(entry.owner, presented.link, presented.commitment):
        raise PackageError(f"{where}: link.tlog-proof: the entry is not of this link", PackageReason.OTHER_ENTRY)
    return None if seen is None or place.since is None else max(seen, place.since)


def _ends(presented: Presented, seen: int | None, today: date) -> date:
    """Return the last day of the lifetime, from the earliest of the certificate's dates on.

    A later date would prolong it, so that any of them shortens it, also that of the witnesses. Raises PackageError
    without any, and for one that is not yet: whoever forges in years to come could write one.
    """
    dates = [] if seen is None else [_day(seen)]
    if is_date(text := (presented.context or {}).get("date", "")):
        dates.append(date.fromisoformat(text))
    if presented.receipt is not None:
        dates.append(datetime.fromisoformat(presented.receipt.time).date())
    if not dates:
        raise PackageError(
            f"nothing says when its {LIFETIME_YEARS} years began: {NO_DATE}", PackageReason.LIFETIME_OVER
        )
    # A context's date is local, so it may be tomorrow's where the certificate was made.
    if max(dates) > today + timedelta(days=1):
        raise PackageError(f"it is dated {max(dates)}, and today is {today}", PackageReason.NOT_YET)
    return _years_later(min(dates))


def _lacking(package: Package, presented: Presented, reader: Reader) -> Iterator[str]:
    """Name what is missing for the log to date the certificate, or to show the model to everybody."""
    if package.certificate_proof is None:
        yield NO_CERTIFICATE_PROOF
    if presented.link is not None and package.link_proof is None:
        yield NO_LINK_PROOF
    if reader.pins is None:
        yield NO_LOG
    if reader.pins is None or not reader.pins.least:
        yield NO_WITNESSES
    if presented.log_proof is None:
        yield NO_MODEL_PROOF


def _as_of(seen: int | None, ends: date, lacking: tuple[str, ...]) -> str:
    """Return the time as of which a certificate is valid; raises PackageError where nothing shows it."""
    over = f"the certificate's lifetime of {LIFETIME_YEARS} years ended on {ends}"
    if seen is None:
        needed = [one for one in lacking if one != NO_MODEL_PROOF]
        _over(f"{over}; to show that it was made before, missing is: {', '.join(needed)}")
    if _day(seen) > ends:
        _over(f"{over}; witnesses saw it in the log by {shown_time(seen)} only, when it could have been forged")
    return shown_time(seen)


def _over(message: str) -> NoReturn:
    raise PackageError(message, PackageReason.LIFETIME_OVER)


def _compared(package: Package, reader: Reader) -> Iterator[str]:
    """Name the files of the reader's that are those of the package; raises PackageError for another one."""
    if reader.letter is not None:
        if digest(reader.letter) not in dict(package.letters).values():
            raise PackageError("the letter is another one than the package names", PackageReason.OTHER_LETTER)
        yield "letter"
    if reader.model_card is not None:
        if digest(reader.model_card) != package.model_card:
            raise PackageError("the model card is another one than the package names", PackageReason.OTHER_MODEL_CARD)
        yield "model card"


def _day(seconds: int) -> date:
    """Return the day of a time in UTC, one past the year 9999 as the last."""
    return date.fromisoformat(shown_time(seconds)[:10])


def _years_later(day: date) -> date:
    """Return the day LIFETIME_YEARS later; of 29 February, the 28th; at most the last day that there is."""
    year = min(day.year + LIFETIME_YEARS, date.max.year)
    return day.replace(year=year, day=28 if (day.month, day.day) == (2, 29) else day.day)
