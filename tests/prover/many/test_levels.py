"""A run under a spec with levels hands out and writes down levels only."""

import csv
import random
from dataclasses import replace

import msgspec

from equiproof.circuits.levels import squares
from equiproof.prover import Opening
from equiproof.verifier import parse_certificate
from tests.prover.many.world import COLUMNS, VERDICTS, Many, go, told
from tests.prover.test_levels import moved, of_equal_level
from tests.support import LOANS, Setting, changed

TEXTS = ("0.02", "0.2")


def test_a_run_shows_levels(many, tmp_path):
    """Every certificate and every line of the manifest has a level, and no line the size of the evidence."""
    opening = Opening.of(many.owned.opening.network, changed(LOANS, levels=TEXTS), 5)
    (tmp_path / "opening.json").write_bytes(opening.secret())
    levelled = replace(many, owned=Setting(opening, many.owned.key), opening=tmp_path / "opening.json")
    entries = go(levelled.run(tmp_path / "out"), told(levelled.made()))
    assert tuple(entries[row].verdict for row in sorted(entries)) == VERDICTS
    allowed = {0, *squares(TEXTS, LOANS.input_fraction_bits)}
    for one in entries.values():
        assert one.size is None
        if one.verdict == "fair":
            data = (tmp_path / "out" / "applicants" / one.name / "certificate.json").read_bytes()
            radius = parse_certificate(data, "certificate").statement.radius_squared
            assert radius == one.radius_squared
            assert radius in allowed
    assert any(one.radius_squared for one in entries.values())


NOT_COMPARED = {"finished", "seconds", "certificate", "files"}
"""What two runs never share: times, and digests of proofs and blindings."""


def test_two_models_of_equal_levels_have_equal_runs(many, tmp_path):
    """With other radii: header and lines differ in the commitment, in digests and times, and files have one length."""
    network, spec = many.owned.opening.network, changed(LOANS, levels=("0.02",))
    rng = random.Random(4)
    rows = [of_equal_level(many.owned, spec, network, moved(network), rng) for _ in range(2)]
    with (tmp_path / "rows.csv").open("w", newline="") as file:
        write = csv.writer(file)
        write.writerow(COLUMNS)
        write.writerows((f"2026/{n}", f"nonce-of-applicant-{n}", *row.values()) for n, row in enumerate(rows, start=1))
    runs = []
    for place, model in enumerate((network, moved(network))):
        folder = tmp_path / str(place)
        folder.mkdir()
        opening = Opening.of(model, spec, 5)
        (folder / "opening.json").write_bytes(opening.secret())
        owner = Many(Setting(opening, many.owned.key), tmp_path / "rows.csv", folder / "opening.json")
        entries = go(owner.run(folder / "out"), told(owner.made()))
        header = msgspec.structs.asdict(owner.header(owner.applicants()))
        header.pop("model_commitment")
        told_of = [
            {name: value for name, value in msgspec.structs.asdict(entries[row]).items() if name not in NOT_COMPARED}
            | {"files": sorted(entries[row].files)}
            for row in sorted(entries)
        ]
        assert [one["radius_squared"] for one in told_of] == list(squares(("0.02",), LOANS.input_fraction_bits)) * 2
        found = sorted((folder / "out" / "applicants").rglob("*.json"))
        runs.append((header, told_of, [(path.relative_to(folder), path.stat().st_size) for path in found]))
        assert len(found) >= 4
    assert runs[0] == runs[1]
