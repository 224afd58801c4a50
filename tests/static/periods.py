"""Periods of owners of every kind, each written into a folder: what they did, and what a check says of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from equiproof.circuits.canonical import canonical_bytes
from equiproof.register.lot import conduct
from equiproof.register.lot.documents import parse_answer, signed
from equiproof.register.lot.folder import PeriodFolder
from equiproof.verifier.checkpoint import cosign, parse_checkpoint
from equiproof.verifier.notes import Signer
from tests.register.lot.test_lottery import LATER, sealed_before_the_round
from tests.register.lot.world import AUDITOR, LENDER, OWNER, Period, certificate, receipt, signer
from tests.support import changed


class Witness:
    """A witness that cosigns whatever it is shown."""

    def __init__(self, own: Signer) -> None:
        self._own = own
        self.text = own.verifier.text

    def line(self, period: Period) -> str:
        """Return its line below the log's newest checkpoint."""
        return cosign(self._own, parse_checkpoint(period.log.text()), 1_775_000_000)


WITNESS = Witness(signer("witness.example/w1"))


@dataclass(frozen=True)
class Case:
    """What an owner did, which words stand in what is said of it, the exit code, and the receipts of the log."""

    folder: Callable[[Period], PeriodFolder]
    said: str
    code: int = 0
    receipts: Callable[[], tuple[Any, ...]] = tuple


def answered(period: Period, known: dict[str, str] | None = None, /, **terms: Any) -> PeriodFolder:
    """Return a period that was drawn and answered as all should."""
    return period.answered(period.drawn(**terms), known)


def beacon(period: Period) -> PeriodFolder:
    """Return a period that was drawn by a published round."""
    folder = sealed_before_the_round(period)
    conduct.bring_round(folder, bytes.fromhex(LATER["signature"]))
    return folder


def lied(place: int = 3, **fields: Any) -> Callable[[Period], PeriodFolder]:
    """Return an owner whose answer about one drawn receipt has another certificate."""

    def made(period: Period) -> PeriodFolder:
        folder = answered(period)
        number = period.entries(folder)[place] - 2
        return answer(period, folder, place, certificate=certificate(number, **fields))

    return made


def answer(period: Period, folder: PeriodFolder, place: int, /, **fields: Any) -> PeriodFolder:
    """Write another answer about the receipt that was drawn at this place, signed by the owner unless it says who."""
    path = folder.root / "answers" / f"{period.entries(folder)[place]}.json"
    who = fields.pop("who", LENDER)
    path.write_bytes(canonical_bytes(signed(changed(parse_answer(path.read_bytes(), path.name), **fields), who)))
    return folder


def some_have_none(period: Period) -> PeriodFolder:
    # Five of twenty have one: whichever eight are drawn, half of all is not shown.
    period.certificates = dict.fromkeys([one.digest for number, one in enumerate(period.receipts) if number % 4])
    return answered(period)


def another_receipts(period: Period) -> PeriodFolder:
    folder = answered(period)
    first, second = period.entries(folder)[:2]
    answer(period, folder, 0, certificate=certificate(second - 2))
    return answer(period, folder, 1, certificate=certificate(first - 2), receipt=receipt(first - 2))


def a_person_decided(period: Period) -> PeriodFolder:
    folder = answered(period)
    path = folder.root / "answers" / "2.json"
    document = parse_answer(path.read_bytes(), path.name)
    wrong = changed(document, receipt=period.receipts[0], certificate=certificate(0))
    path.write_bytes(canonical_bytes(signed(wrong, LENDER)))
    return folder


def left_out(period: Period) -> PeriodFolder:
    folder = answered(period)
    (folder.root / "answers" / f"{period.entries(folder)[0]}.json").unlink()
    return folder


def of_another_period(period: Period) -> PeriodFolder:
    folder = answered(period)
    answer(period, folder, 0, period="00" * 32)
    return answer(period, folder, 1, entry=period.entries(folder)[0])


def a_broken_group(period: Period) -> PeriodFolder:
    return answer(period, answered(period), 0, group="women ")


def not_canonical(period: Period) -> PeriodFolder:
    folder = answered(period)
    path = folder.root / "answers" / f"{period.entries(folder)[0]}.json"
    path.write_bytes(path.read_bytes() + b"\n")
    (folder.root / "answers" / f"{period.entries(folder)[1]}.json").write_bytes(canonical_bytes(folder.commitment))
    return folder


def another_proof(period: Period) -> PeriodFolder:
    folder = answered(period)
    numbers = [entry - 2 for entry in period.entries(folder)[:2]]
    first, second = (certificate(number) for number in numbers)
    return answer(period, folder, 0, certificate=changed(first, proof=second.proof))


def somebody_else_answered(period: Period) -> PeriodFolder:
    folder = answer(period, answered(period), 0, who=AUDITOR)
    answer(period, folder, 1, party=2)
    path = folder.root / "answers" / f"{period.entries(folder)[2]}.json"
    document = parse_answer(path.read_bytes(), path.name)
    path.write_bytes(canonical_bytes(changed(document, time="2027-01-01T00:00:00Z")))
    return folder


def with_groups(period: Period) -> PeriodFolder:
    groups = {one.digest: ("women", "men", "\u05d0")[number % 3] for number, one in enumerate(period.receipts)}
    return answered(period, groups, groups="sex as applicants state it", name="2026-03", drawn=14)


def long_name(period: Period) -> PeriodFolder:
    return answered(period, name="March. At least 100 % of all", owner=OWNER, confidence="0.975", min_radius="0.0625")


def grown(period: Period) -> PeriodFolder:
    folder = answered(period)
    period.log.append(*(receipt(number).entry().data for number in range(40, 400)))
    return folder


def second_period(period: Period) -> PeriodFolder:
    march = period.close()
    period.receipts += [receipt(number) for number in range(20, 300)]
    period.log.append(*(one.entry().data for one in period.receipts[20:]))
    return answered(period, folder="april", first=march.period.last + 1, share="0.5", drawn=5)


def doubled_decisions() -> tuple[Any, ...]:
    return ([receipt(number, salt) for number in range(3) for salt in (0, 1)],)


HONEST = {
    "an honest period": Case(answered, "(8 drawn, 8 certified)"),
    "a small period": Case(answered, "At least 100.0", receipts=lambda: ([receipt(number) for number in range(3)],)),
    "groups": Case(with_groups, "by the lender's word"),
    "a long name, odd numbers": Case(long_name, "“March. At least 100 % of all”"),
    "a log that grew": Case(grown, "(8 drawn, 8 certified)"),
    "a second period in a log of several tiles": Case(second_period, "of the 280 decisions"),
    "some have no certificate": Case(some_have_none, "the lender had none", code=1),
    "another model": Case(lied(model=77), "about another model", code=1),
    "another key": Case(lied(secret=5), "not among the 1 trusted keys", code=1),
    "a smaller radius": Case(lied(radius_squared=1000), "the policy requires 0.1", code=1),
    "the proof of another certificate": Case(another_proof, "refused", code=1),
    "the certificate of another receipt": Case(another_receipts, "about other data than the receipt", code=1),
    "answers of somebody else": Case(somebody_else_answered, "signature is not that of lender", code=1),
    "answers in time": Case(lambda period: answered(period, due="2026-04-01"), "due by 1\xa0April 2026."),
    "late answers": Case(lambda period: answered(period, due="2026-03-31"), "due by 31\xa0March 2026: late."),
    "a left-out answer": Case(left_out, "gave no answer", code=1),
    "answers of another period and place": Case(of_another_period, "of another period or another receipt", code=1),
    "a group that is no name": Case(a_broken_group, "field group", code=1),
    "answers that are no documents": Case(not_canonical, "not in canonical form", code=1),
    "one decision under two salts": Case(
        answered, "one decision left two receipts", code=1, receipts=doubled_decisions
    ),
    "a decision of a person": Case(
        a_person_decided, "a person decides", 1, lambda: ([receipt(number, label=None) for number in range(4)],)
    ),
}
