"""Honest files of a lot, to start mutations from, and how each is read."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from equiproof.circuits.canonical import canonical_bytes
from equiproof.register.lot.documents import (
    ANSWER,
    BEACON,
    Answer,
    Beacon,
    parse_answer,
    parse_beacon,
    parse_nonce,
    parse_opening,
    parse_period,
    parse_seal,
)
from tests.register.lot.world import Period, certificate, receipt


@cache
def _files() -> dict[str, list[bytes]]:
    """Return the files of two periods by the parser that reads them."""
    with tempfile.TemporaryDirectory() as base:
        period = Period(Path(base), [receipt(number) for number in range(3)])
        folder, later = period.drawn(), period.close("later", round=1000, groups="sex")
        read = {
            "period": [path.root / "period.json" for path in (folder, later)],
            "seal": sorted(folder.root.glob("seal-*")),
            "opening": sorted(folder.root.glob("opening-*")),
            "nonce": sorted(period.base.glob("kept-*/*")),
        }
        found = {name: [path.read_bytes() for path in paths] for name, paths in read.items()}
    digest = folder.period.digest.hex()
    made = (*ANSWER, digest, 1, "2026-04-01T09:00:00Z", "00" * 64, 2)
    whole = Answer(*made, receipt(0), certificate(0), "group")
    found["answer"] = [canonical_bytes(one) for one in (whole, Answer(*made))]
    found["beacon"] = [canonical_bytes(Beacon(*BEACON, digest, "ab" * 48))]
    return found


PARSERS = {
    "lot-period": (parse_period, lambda: _files()["period"]),
    "lot-seal": (parse_seal, lambda: _files()["seal"]),
    "lot-opening": (parse_opening, lambda: _files()["opening"]),
    "lot-nonce": (parse_nonce, lambda: _files()["nonce"]),
    "lot-answer": (parse_answer, lambda: _files()["answer"]),
    "lot-beacon": (parse_beacon, lambda: _files()["beacon"]),
}
