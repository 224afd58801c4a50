"""Proofs about trees of XGBoost that split by sets of a category's values, each a column of the query, end to end."""

import dataclasses
import json
import random
import re

import msgspec
import numpy as np
import pandas as pd
import pytest
import xgboost

from equiproof.audits.context import AuditContext
from equiproof.audits.groups.robustness import robust
from equiproof.audits.html.applicants import certification
from equiproof.certify.additive import EnsembleError
from equiproof.certify.many.certifier import Certifier
from equiproof.certify.models.ensembles import by_category
from equiproof.certify.models.ensembles.imported import bound_score
from equiproof.certify.models.ensembles.reading import read_ensemble
from equiproof.certify.models.ensembles.score import Score
from equiproof.certify.models.ensembles.stepped import as_network
from equiproof.certify.sets import Sets
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.shape import ensemble_shape
from equiproof.circuits.spec import Feature
from equiproof.circuits.standard_scores import StandardScore
from equiproof.prover import KeyStore
from equiproof.prover.ensemble_folder import load_ensemble, write_ensemble
from equiproof.prover.key_choice import serves
from equiproof.prover.opening import Opening, OpeningError, parse_opening, parse_opening_document
from equiproof.prover.padding import pad_score
from equiproof.prover.prove import Prover
from equiproof.verifier import ForQuery, TrustStore, Verifier
from equiproof.verifier.documents import parse_commitment
from equiproof.verifier.errors import PolicyError
from equiproof.verifier.trust import TrustedKey
from tests.cli.world import command
from tests.kept import kept_keys
from tests.support import SEX, changed, copied_key, key_of, spec_of

PURPOSES = ("bike", "car", "home", "school", "trip", "yacht")
SPEC = spec_of(
    Feature("income", "numeric", "scaled", False, mean="30", scale="12", missing=Missing()),
    Feature("purpose", "categorical", "one-hot", False, domain=PURPOSES, missing=Missing()),
    SEX,
)
"""Two columns and a category of six values from column 1 on; both features may be missing."""

CAPACITY = 4


def trained():
    """Return trees that split by sets of purposes, and the table that they were trained on."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"income": rng.integers(10, 60, 300).astype(float)})
    for name, values in (("purpose", PURPOSES), ("sex", ("f", "m"))):
        frame[name] = pd.Categorical(rng.choice(values, 300), categories=values)
    granted = (frame.income > 30) ^ frame.purpose.isin(PURPOSES[::2])
    frame.loc[rng.random(300) < 0.15, "purpose"] = None
    frame.loc[rng.random(300) < 0.15, "income"] = np.nan
    known = {"n_estimators": 3, "max_depth": 2, "max_cat_to_onehot": 2, "n_jobs": 1}
    return xgboost.XGBClassifier(enable_categorical=True, **known).fit(frame, granted.astype(int)), frame


def raw(frame):
    """Return a table as raw rows."""
    return [
        {name: None if pd.isna(value) else f"{value:g}" if name == "income" else value for name, value in row.items()}
        for row in frame.to_dict("records")
    ]


@pytest.fixture(scope="module")
def imported():
    """The model with its exact score; no split is worth several questions about columns."""
    model, frame = trained()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_category, "_MORE", 0)
        found = bound_score(read_ensemble(model), SPEC, rows=raw(frame))
    assert found.model.sets
    return found


@pytest.fixture(scope="module")
def opening(imported):
    """Its opening."""
    return Opening.of(imported.model, SPEC, 7)


def shape_of(opening, sets):
    """Return the shape of a model's keys, with so many sets of purposes."""
    plain, sensitive, trees, nodes, *_ = opening.sizes
    return ensemble_shape(SPEC, (plain, sensitive), (trees, nodes), plain, nodes, CAPACITY, sets)


def counts(opening):
    """Return how many sets a model asks, by the first column of the category."""
    return dict(zip(opening.sizes[4::2], opening.sizes[5::2], strict=True))


@pytest.fixture(scope="module")
def stored(opening):
    """A key with room for all that the model has."""
    return key_of(kept_keys(), shape_of(opening, counts(opening)))


@pytest.fixture(scope="module")
def prover(opening, stored):
    """A prover under that key, which is found for the opening."""
    with Prover(opening, KeyStore(stored.folder.parent).find_for(opening)) as made:
        yield made


def people():
    """Return applicants without the sensitive feature; some lack an income, some a purpose."""
    _, frame = trained()
    return [{name: row[name] for name in ("income", "purpose")} for row in raw(frame)]


def proven_of(prover, wanted):
    """Return the proof about the first applicant like this who is treated alike."""
    found = (prover.prove(row) for row in people() if wanted(row))
    return next(one for one in found if not isinstance(one, Counterexample))


@pytest.mark.parametrize("lacks", [None, "income", "purpose"])
def test_a_proof_holds_for_its_query_alone(prover, stored, lacks):
    """Whoever states everything, or lacks one of both; another purpose is another query."""
    proven = proven_of(prover, lambda row: [name for name in row if row[name] is None] == ([lacks] if lacks else []))
    commitment = parse_commitment(prover.opening.public(), "commitment")
    trusted = TrustStore([TrustedKey(stored.document, prover.key.verifying)])
    certificate = proven.certificate.to_bytes()
    for program in ("native", "python"):
        Verifier(commitment, trusted, program).verify(certificate, ForQuery(proven.query))
    for purpose in PURPOSES:
        if purpose != proven.query.features.get("purpose"):
            other = changed(proven.query, features=proven.query.features | {"purpose": purpose})
            with pytest.raises(PolicyError):
                Verifier(commitment, trusted).verify(certificate, ForQuery(other))


def test_the_radius_ends_where_another_purpose_begins(prover):
    """No certificate is about people with another value of a category of which sets are asked."""
    (category,) = (one.category for one in prover.opening.ensemble.sets)
    assert category.apart == 2 * 1024**2
    found = [prover.prove(row).evidence for row in random.Random(3).sample(people(), 3)]
    assert all(one.radius_squared <= category.apart for one in found if not isinstance(one, Counterexample))


def test_a_key_of_other_counts_is_not_chosen(opening, stored):
    """More sets, fewer, of no category, or a shape without any: no key of the model."""
    (first, number), sizes = next(iter(counts(opening).items())), opening.sizes
    assert first == 1
    assert serves(stored.document, SPEC, sizes, scheme="trees")
    for other in (number + 1, 2 * number, number - 1):
        assert not serves(stored.document, SPEC, (*sizes[:4], 1, other), scheme="trees")
    assert not serves(stored.document, SPEC, (*sizes[:4], 2, number), scheme="trees")
    assert not serves(stored.document, SPEC, sizes[:4], scheme="trees")
    for sets in ({}, {1: number + 1}):
        shape = shape_of(opening, sets)
        assert shape != stored.document.shape
        assert not serves(changed(stored.document, shape=shape), SPEC, sizes, scheme="trees")


def test_files_are_read_again(imported, opening):
    """Opening and score, with their sets, are what they were."""
    again = parse_opening(opening.secret(), "opening.json")
    assert again.model == opening.model
    assert again.digests() == opening.digests()
    score = Score.parse(imported.score.to_bytes(), "score.json")
    assert score == imported.score
    assert score.sets == opening.ensemble.sets
    assert score.set_count == counts(opening)[1]


DAMAGE = {
    "another column": (
        lambda first, sets: [[2, sets]],
        "field nodes.sets: want sets of categories that have one column",
    ),
    "the income": (lambda first, sets: [[0, sets]], "field nodes.sets: want sets of categories that have one column"),
    "no set": (lambda first, sets: [[first, []]], "field nodes.sets: want sets of categories that have one column"),
    "a category twice": (lambda first, sets: [[first, sets], [first, sets]], "field nodes.sets: .* of each one once"),
    "a bit less": (lambda first, sets: [[first, [sets[0][:-1], *sets[1:]]]], "want sets of 7 bits for the category of"),
    "a bit more": (lambda first, sets: [[first, [[*sets[0], 0], *sets[1:]]]], "want sets of 7 bits"),
    "half a bit": (lambda first, sets: [[first, [[2, *sets[0][1:]], *sets[1:]]]], "want sets of 7 bits"),
    "a text": (lambda first, sets: [[first, "sets"]], "nodes.sets"),
}
"""Name -> what becomes of the sets in a file, and what is said about it."""


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_sets_are_refused_by_name(opening, damage):
    """One line names the field."""
    change, said = DAMAGE[damage]
    document = json.loads(opening.secret())
    (own,) = document["nodes"]["sets"]
    document["nodes"]["sets"] = change(*own)
    with pytest.raises(OpeningError, match=said):
        parse_opening(msgspec.json.encode(document, order="sorted"), "opening.json")


def test_a_folder_holds_the_sets_of_its_spec(imported, tmp_path):
    """A model folder is read again, and one whose sets are not those of the spec's categories is refused by name."""
    write_ensemble(tmp_path, imported)
    read = load_ensemble(tmp_path)
    assert (read.score, read.quantised) == (imported.score, imported.model)
    file = tmp_path / "ensemble.json"
    whole = json.loads(file.read_bytes())
    ((category, members),) = whole["sets"]
    another = "field sets: want the categories as they are in the spec"
    none = "field sets: want sets of categories that have one column a value in the spec, of each one once"
    for sets, said in (
        ([[category | {"first": 0}, members]], none),
        ([[category | {"high": 1025}, members]], another),
        ([[category | {"sets": 1}, members]], another),
        ([[category, members[:1]], [category, members[1:]]], none),
        ([[category, [one[1:] for one in members]]], "field sets: want sets of 7 bits for the category of column 1"),
        ([[category, [[3] * 7, *members[1:]]]], "field sets: want sets of 7 bits"),
    ):
        file.write_bytes(canonical_bytes(whole | {"sets": sets}))
        with pytest.raises(EnsembleError, match=re.escape(f"{file}: ") + said):
            load_ensemble(tmp_path)


def test_more_sets_than_have_a_circuit_are_not_committed(imported):
    """One line says how many there are, and what to do about it."""
    own = imported.model.additive
    (of,) = own.sets
    many = Sets(changed(of.category, sets=4097), of.members[:1] * 4097)
    plain = SPEC.plain_columns + 4097
    columns = tuple(column + plain - own.plain if column >= own.plain else column for column in own.columns)
    model = dataclasses.replace(own, sets=(many,), plain=plain, columns=columns)
    with pytest.raises(OpeningError, match="fewer or smaller trees: they ask 4,097 sets of the values of categories"):
        Opening.of(dataclasses.replace(imported.model, additive=model), SPEC, 7)


def test_no_standard_shape_has_sets(opening):
    """Neither the smallest of the catalogue, nor one that is named."""
    with pytest.raises(ValueError, match="standard shape 16p99t99x999: no standard shape has sets of the values of"):
        pad_score(opening.model, SPEC, StandardScore(16, (99, 8), 40, (99, 999), 60))


def test_owner_and_second_party_make_keys_of_one_shape(opening, stored, tmp_path):
    """`setup --opening` and, without any secret, `setup --sets`; then `prove` and `verify`."""
    (tmp_path / "opening.json").write_bytes(opening.secret())
    (tmp_path / "commitment.json").write_bytes(opening.public())
    copied_key(tmp_path / "keys", stored.document.shape)
    plain, sensitive, trees, nodes, _, number = opening.sizes
    room = ["--capacity", CAPACITY, "--keys", tmp_path / "keys"]
    rooms = ["--slots", plain, "--rows", nodes, *room]
    public = ["--commitment", tmp_path / "commitment.json", "--scheme", "trees", "--nodes", f"{trees},{nodes}"]
    public += ["--predicates", f"{plain},{sensitive}"]
    # The key is there already under its name: whoever asks for the same shape is told so.
    there = stored.folder.name
    command("setup", "--opening", tmp_path / "opening.json", *rooms).complaint(2, there)
    command("setup", *public, "--sets", f"purpose={number}", *rooms).complaint(2, there)
    command("setup", *public, "--sets", f"income={number}", *rooms).complaint(2, "--sets: 'income' is no non-sensitive")
    (tmp_path / "row.json").write_text(json.dumps([next(row for row in people() if row["purpose"] == "yacht")]))
    out = tmp_path / "certificate.json"
    own = ["--opening", tmp_path / "opening.json", "--keys", tmp_path / "keys", "--query-out", tmp_path / "query.json"]
    made = command("prove", tmp_path / "row.json", *own, "--out", out)
    assert made.code == 0, made.err
    words = ["--commitment", tmp_path / "commitment.json", "--keys", tmp_path / "keys"]
    assert command("verify", out, *words, "--query", tmp_path / "query.json").code == 0


def test_status_knows_the_key_of_a_model(opening, stored, tmp_path):
    """The opening's sizes are those of its model, sets included: its key fits, and the next step is to prove."""
    (tmp_path / "opening.json").write_bytes(opening.secret())
    assert parse_opening_document(opening.secret(), "opening.json").sizes == opening.sizes
    copied_key(tmp_path / "keys", stored.document.shape)
    found = command("status", tmp_path, "--json").document
    ((owned,), (key,)) = found["openings"], found["keys"]
    assert (owned["nodes"], owned["sets"]) == (list(opening.sizes[2:4]), sum(counts(opening).values()))
    assert (key["sets"], key["openings"]) == (owned["sets"], [owned["path"]])
    assert found["next"][0]["command"].startswith("equiproof prove ")
    said = command("status", tmp_path).out
    assert said.count(f" splits, {owned['sets']} sets of values") == 2
    assert f"fits {owned['path']}" in said


def test_results_say_that_a_radius_ends_at_another_value(opening):
    """Not that it is the largest that is ever stated; in table, page and audit alike."""
    rows = people()[:60]
    found = Certifier(opening.ensemble, SPEC, scheme="trees", progress=False).certify(rows)
    apart = opening.ensemble.sets[0].category.apart
    ending = [point for point in found.having("fair") if point.radius_squared == apart]
    assert ending
    assert all(point.ends_at_a_value(SPEC) == (point in ending) for point in found)
    said = found.summary()
    assert f"  {len(ending)} end where another value of a category begins: no radius" in said
    assert "ever stated" not in said
    largest = changed(ending[0], radius_squared=SPEC.max_radius_squared)
    both = changed(found, points=(*found, largest)).summary()
    assert "  1 reach the largest radius that is ever stated" in both
    assert f"  {len(ending)} end where another value" in both
    words = [certification(point, SPEC, None).ending for point in (ending[0], largest)]
    assert words == ["ends where another value of a category begins", "the largest that certificates state"]


def test_nobody_with_another_value_is_called_robust(opening):
    """Beyond the place where other values begin nothing is known, which is the reason that is named."""
    rows = [row | {"sex": "f"} for row in people() if row["income"] is None][:6]
    score = opening.ensemble
    where = AuditContext(network=as_network(score), spec=SPEC, commitment="", rows=rows, score=score)
    found = [robust(where, place, distance, None) for place in range(len(rows)) for distance in (1.4, 1.5)]
    ends = [(near.verdict, far.verdict, far.reason) for near, far in zip(found[::2], found[1::2], strict=True)]
    assert ("fair", "undecided", "another value of a category, which begins nearer") in ends
