"""A run under a spec with levels hands out and writes down levels only."""

import json
from dataclasses import replace

import pytest

from equiproof.circuits.levels import squares
from equiproof.prover import Opening
from equiproof.prover.evidence import find_evidence
from equiproof.prover.many.manifest import MANIFEST_FILE
from equiproof.verifier import parse_certificate
from tests.prover.many.world import VERDICTS, go, told
from tests.prover.test_levels import moved
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


RANDOM = ("proof", "model_commitment", "query_commitment", "blinding", "finished", "seconds", "files", "certificate")
"""What differs for any two models or runs: commitments, blindings and proofs, digests of these, and times."""

OWNERS = ("cases",)
"""What the manifest, which never leaves the owner, has beside levels: the logits of a counterexample."""


def without(document):
    """Return JSON data without what is random."""
    if isinstance(document, dict):
        return {name: without(value) for name, value in document.items() if name not in RANDOM + OWNERS}
    return [without(one) for one in document] if isinstance(document, list) else document


def written(folder):
    """Return the files of a run by name, each with its length and what is not random in it; times have any length."""
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    lines = files.pop(MANIFEST_FILE).splitlines()
    return {
        MANIFEST_FILE: [without(json.loads(line)) for line in lines],
        **{name: (len(data), without(json.loads(data))) for name, data in files.items()},
    }


@pytest.mark.slow
def test_equal_levels_make_equal_folders(many, tmp_path):
    """Of two models with other radii and equal levels for everybody, every file is the same but for what is random."""
    spec = changed(LOANS, levels=("0.01",))
    network = many.owned.opening.network
    shape = many.owned.key.document.shape
    radii, seen = [], []
    for number, model in enumerate((network, moved(network))):
        opening = Opening.of(model, spec, 5)
        path = tmp_path / f"opening-{number}.json"
        path.write_bytes(opening.secret())
        levelled = replace(many, owned=Setting(opening, many.owned.key), opening=path)
        folder = tmp_path / f"out-{number}"
        entries = go(levelled.run(folder), told(levelled.made()))
        assert tuple(entries[row].verdict for row in sorted(entries)) == VERDICTS
        fair = [one.features for one, verdict in zip(levelled.applicants(), VERDICTS, strict=True) if verdict == "fair"]
        exact = Opening.of(model, LOANS, 5)
        radii.append(
            [find_evidence(exact, shape, exact.encode(row), None, None).evidence.radius_squared for row in fair]
        )
        seen.append(written(folder))
    assert all(one != other for one, other in zip(*radii, strict=True))
    assert seen[0] == seen[1]
    assert len(seen[0]) == 1 + 3 * VERDICTS.count("fair")
