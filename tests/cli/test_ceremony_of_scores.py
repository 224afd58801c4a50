"""Keys of scheme trees made by several parties: each relation from powers of tau to a certificate that is verified."""

import json

import pytest

from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import EnsembleModel, NodeTable
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import additive_shape, ensemble_shape, follows_box
from equiproof.prover.ceremony import conduct
from equiproof.prover.ceremony.checked import CACHE_VARIABLE
from equiproof.prover.ceremony.documents import parse_ceremony
from equiproof.prover.ceremony.steps import header_for, parse_step, written
from equiproof.prover.opening import Opening
from equiproof.verifier.errors import CertificateFormatError
from tests.prover.ceremony.parties import ANNA, BEN, SIGNERS, TERMS, VALUE, powers_ceremony
from tests.support import INCOME, SEX, changed, spec_of

POWER = 12
"""The smallest circuits of scheme trees have about 3,000 constraints."""

NARROW = spec_of(changed(INCOME, range=("0", "60000")), SEX, name="narrow")
ROW = {"income": 36000}
SIZES = {
    "additive": ("--predicates", 1, "--slots", 1, "--capacity", 1),
    "additive-ranges": ("--predicates", 1, "--slots", 1, "--capacity", 1),
    "trees": ("--predicates", 2, "--nodes", "1,2", "--slots", 2, "--rows", 2, "--capacity", 1),
}
"""Which sizes the command names for the models below."""


def model_of(relation):
    """Return the smallest model with that relation, and its spec."""
    spec, trees = changed(NARROW, use_ranges=relation.endswith("-ranges")), relation.startswith("trees")
    columns, jumps = ((0, 0), (0, 0)) if trees else ((0,), (700,))
    thresholds = (-2000, -1500)[: len(columns)]
    additive = AdditiveModel(columns, thresholds, jumps, -300, 1, 1, spec.input_fraction_bits)
    if trees:
        return EnsembleModel(additive, NodeTable(1, (0, 1), ((0, 1), (0, 0)), (-50, -50, 500))), spec
    return additive, spec


def shape_of(relation):
    """Return the shape that the options above name."""
    model, spec = model_of(relation)
    if relation.startswith("trees"):
        return ensemble_shape(spec, model.predicates, model.nodes.sizes, 2, 2, 1)
    return additive_shape(spec, model.predicates, 1, 1)


@pytest.fixture(autouse=True)
def own_records(tmp_path_factory, monkeypatch):
    """Keep the records of checks out of the user's folders; the same powers are checked once."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path_factory.getbasetemp() / "checked-scores"))


@pytest.fixture(scope="module")
def powers(tmp_path_factory):
    """A finished phase 1 for all of them."""
    folder = powers_ceremony(tmp_path_factory.mktemp("scores") / "powers", ANNA, power=POWER, closed=True)
    conduct.finish_powers(folder)
    return folder.path


@pytest.fixture
def signers(tmp_path):
    """The file of those who may contribute."""
    path = tmp_path / "signers.txt"
    path.write_text("".join(f"{signer.verifier.text}\n" for signer in SIGNERS))
    return path


def new(folder, signers, *words):
    """Return the words that begin a ceremony."""
    named = ("--beacon-source", "drand quicknet", "--beacon-round", 1000)
    return ("ceremony", "new", folder, "--signers", signers, *named, *words)


@pytest.mark.slow
@pytest.mark.parametrize("relation", SIZES)
def test_a_key_of_several_parties_proves_and_verifies(powers, signers, tmp_path, cli, relation):
    """No single party made the key: begun by the sizes, finished, checked, proven under, verified by its transcript."""

    def done(*words):
        found = cli(*words)
        assert (found.code, found.err) == (0, ""), found.err
        return found.document

    model, spec = model_of(relation)
    opening = Opening.of(model, spec, 5)
    files = {name: tmp_path / f"{name}.json" for name in ("opening", "commitment", "row", "certificate", "query")}
    files["opening"].write_bytes(opening.secret())
    files["commitment"].write_bytes(opening.public())
    files["row"].write_text(json.dumps(ROW))
    (tmp_path / "ben.key").write_text(BEN.text + "\n")
    folder, keys = tmp_path / "key", tmp_path / "keys"

    options = ("--powers", powers, "--commitment", files["commitment"], "--scheme", "trees", *SIZES[relation], "--json")
    assert done(*new(folder, signers, *options))["shape"] == shape_of(relation).name
    done("ceremony", "contribute", folder, "--signing-key", tmp_path / "ben.key", "--json")
    done("ceremony", "beacon", folder, "--value", VALUE, "--json")
    made = done("ceremony", "finish", folder, "--keys", keys, "--json")
    prove = ("prove", files["row"], "--opening", files["opening"], "--keys", keys, "--json")
    prove += ("--out", files["certificate"], "--query-out", files["query"])
    cli(*prove).complaint(2, "keys check --accept")
    done("keys", "check", made["key"], "--transcript", folder, "--powers", powers, "--accept", "--json")
    proven = done(*prove)
    assert proven["scheme"] == "trees"
    assert proven["radius_squared"] > 0

    verify = ("verify", files["certificate"], "--commitment", files["commitment"], "--keys", keys, "--json")
    done(*verify, "--query", files["query"], "--transcript", made["transcript"])
    assert cli(*verify, "--query", files["query"]).code == 1
    assert cli(*verify, "--query", files["query"], "--transcript", "0" * 64).code == 1


@pytest.mark.parametrize("relation", [*SIZES, "trees-ranges"])
def test_the_files_of_a_ceremony_hold_the_shape(relation, tmp_path, monkeypatch):
    """What `new` writes and every step's header names is read again as it was; a field of networks is refused."""
    monkeypatch.setattr(conduct.native, "circuit_power", lambda _: (1, 1, "ab" * 32))
    first = powers_ceremony(tmp_path / "powers", ANNA, power=1, closed=True)
    powers = conduct.finish_powers(first)
    folder = conduct.begin_key(tmp_path / "key", shape_of(relation), powers, TERMS)
    data = canonical_bytes(folder.ceremony)
    assert parse_ceremony(data, "ceremony.json") == folder.ceremony
    assert folder.ceremony.target.shape == shape_of(relation)
    header = header_for(folder.ceremony, 1, folder.ceremony.digest, "anna", 1)
    assert parse_step(written(header, b"1", ANNA), "0001.step", 1).header == header
    with pytest.raises(CertificateFormatError, match=r"field key: field shape\.architecture\.hidden: want \[\]"):
        parse_ceremony(data.replace(b'"hidden":[]', b'"hidden":[2]'), "ceremony.json")
    with pytest.raises(CertificateFormatError, match=r"shape\.slots: "):
        parse_ceremony(data.replace(f'"slots":{shape_of(relation).slots}'.encode(), b'"slots":9'), "ceremony.json")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--hidden", "4", "--predicates", "3"), "go with --scheme trees"),
        (("--scheme", "trees", "--hidden", "4"), "--predicates P[,P_S] --slots V"),
        (("--scheme", "trees", "--predicates", "3", "--slots", "2", "--hidden", "4"), "name one model"),
        (("--scheme", "trees", "--predicates", "3", "--slots", "4"), "want 1 to 3"),
        (("--scheme", "trees", "--predicates", "3", "--slots", "2", "--rows", "2"), "--rows is of models with trees"),
        (("--scheme", "trees", "--predicates", "3", "--slots", "2", "--capacity", "3"), "not a power of two"),
        (("--scheme", "trees", "--predicates", "3", "--slots", "2", "--gain"), "--gain: networks only"),
        (("--scheme", "traversal", "--hidden", "2", "--gain"), "--gain goes with --scheme branch"),
        (("--scheme", "traversal", "--hidden", "4", "--box"), "--box goes with --hidden"),
        (
            ("--scheme", "trees", "--predicates", "3", "--slots", "2", "--gain", "--box"),
            "--box goes with --hidden",
        ),
        ((), "--scheme trees with --predicates and --slots"),
    ],
)
def test_sizes_of_no_model_are_refused(words, says, signers, tmp_path, cli):
    """One line names the option, before powers of tau are read; no folder is written."""
    commitment = tmp_path / "commitment.json"
    commitment.write_bytes(Opening.of(*model_of("additive"), 5).public())
    options = ("--powers", tmp_path / "none", "--commitment", commitment, *words)
    cli(*new(tmp_path / "key", signers, *options)).complaint(2, says)
    assert not (tmp_path / "key").exists()


@pytest.mark.parametrize("relation", SIZES)
def test_a_ceremony_of_boxes_is_of_their_shape(relation, signers, tmp_path, monkeypatch, cli):
    """With --box the circuit is that of boxes of the same model."""
    monkeypatch.setattr(conduct.native, "circuit_power", lambda _: (1, 1, "ab" * 32))
    powers = conduct.finish_powers(powers_ceremony(tmp_path / "powers", ANNA, power=1, closed=True))
    monkeypatch.setattr("equiproof.prover.ceremony.powers.read_powers", lambda _: powers)
    model, spec = model_of(relation)
    (tmp_path / "commitment.json").write_bytes(Opening.of(model, spec, 5).public())
    sizes = ("--scheme", "trees", *SIZES[relation], "--box")
    options = ("--powers", tmp_path / "powers", "--commitment", tmp_path / "commitment.json", *sizes)
    outcome = cli(*new(tmp_path / "key", signers, *options))
    assert outcome.code == 0, outcome.err
    found = parse_ceremony((tmp_path / "key" / "ceremony.json").read_bytes(), "ceremony.json").target.shape
    assert found.boxes
    assert follows_box(found, spec)


def test_powers_of_tau_take_no_sizes(signers, tmp_path, cli):
    """Phase 1 is of no model."""
    words = ("--power", 2, "--scheme", "trees", "--predicates", "3", "--slots", "2")
    cli(*new(tmp_path / "powers", signers, *words)).complaint(2, "give --power for phase 1")
    assert not (tmp_path / "powers").exists()
