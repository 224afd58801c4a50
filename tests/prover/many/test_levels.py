"""A run under a spec with levels hands out and writes down levels only."""

from dataclasses import replace

from equiproof.circuits.levels import squares
from equiproof.prover import Opening
from equiproof.verifier import parse_certificate
from tests.prover.many.world import VERDICTS, go, told
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
