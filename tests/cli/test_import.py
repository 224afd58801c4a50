"""`equiproof import`: from a model made elsewhere to a verified certificate, and what is refused on the way."""

import hashlib
import json
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from equiproof import import_model
from equiproof.certify.data.lending import make_lending
from equiproof.certify.models.comparison import NOT_COMPARED
from equiproof.certify.models.network import Network
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.spec import load_spec, parse_spec
from equiproof.prover.opening import parse_opening
from tests.cli.foreign import COLUMNS, arrays, npz, onnx
from tests.cli.world import listing, shell

NAMES = ",".join(COLUMNS)
DOMAIN = {
    "order": ["age", "job", "sex", "hours"],
    "ranges": {"sex": [0, 1], "age": [18, 60], "job": [0, 3], "hours": [0, 80]},
    "codes": {"job": ["a", "b", "c"], "sex": ["f", "m"]},
    "protected": ["sex"],
    "label": "1 when granted",
}


@pytest.fixture(scope="module")
def lending():
    """The default data set."""
    return make_lending()


def applicants(lending, count):
    """Return raw rows without and with the sensitive value."""
    return [dict(row) for row in lending.rows[:count]]


@pytest.mark.slow
def test_an_onnx_model_goes_all_the_way_to_a_verified_certificate(tmp_path, lending):
    """Import, commit, set up, certify, prove and verify a model that was never trained here, in separate processes."""
    features = [*lending.spec.plain_features, *lending.spec.sensitive_features]
    widths = [(float(one.mean), float(one.scale)) for one in features for _ in range(one.width)]
    model = onnx(tmp_path / "net.onnx", *zip(*widths, strict=True))
    (tmp_path / "names.txt").write_text("\n".join(COLUMNS) + "\n")
    (tmp_path / "rows.json").write_text(json.dumps(applicants(lending, 60)))
    folder, owner, keys = tmp_path / "model", tmp_path / "owner", tmp_path / "keys"
    steps = {
        "import": [model, "--dataset", "lending", "--columns", f"@{tmp_path / 'names.txt'}", "--units", "raw",
                   "--out", folder],
        "commit": [folder, "--rows", tmp_path / "rows.json", "--out", owner],
        "setup": ["--commitment", owner / "commitment.json", "--hidden", "3", "--capacity", "8", "--keys", keys],
    }  # fmt: skip
    said = {}
    for command, more in steps.items():
        outcome = shell(command, *more, "--json")
        assert outcome.code == 0, outcome.err
        said[command] = outcome.document
    assert said["import"]["hidden"] == [3]
    assert said["commit"]["fidelity"]["rows"]["points"] == 60
    assert said["commit"]["fidelity"]["rows"]["accuracy"] is None
    certificate, query = tmp_path / "certificate.json", tmp_path / "query.json"
    row, codes = tmp_path / "row.json", []
    for applicant in applicants(lending, 40):
        row.write_text(json.dumps({name: value for name, value in applicant.items() if name != "sex"}))
        proven = shell("prove", row, "--opening", owner / "opening.json", "--keys", keys, "--out", certificate,
                       "--query-out", query)  # fmt: skip
        codes.append(proven.code)
        if proven.code == 0:
            break
    assert codes[-1] == 0, codes
    verified = shell("verify", certificate, "--commitment", owner / "commitment.json", "--keys", keys, "--query", query)
    assert verified.code == 0
    assert verified.out.startswith("The proof holds. ")


def test_the_folder_says_where_the_model_comes_from(cli, tmp_path, lending):
    """network.npz is the network on the spec's columns, spec.json its spec, import.json names file, digest, columns."""
    path = npz(tmp_path / "net.npz", columns=np.array(COLUMNS[::-1]))
    outcome = cli("import", path, "--dataset", "lending", "--units", "spec", "--out", tmp_path / "m")
    assert (outcome.code, outcome.err) == (0, "")
    first, rest = outcome.out.split("\n", 1)
    assert first == f"{NOT_COMPARED}: --rows FILE --decisions COLUMN"
    assert rest.startswith(f"IMPORTED {path}: npz, {len(COLUMNS)} inputs, hidden layers 3, 1 logit(s)\n")
    assert outcome.out.endswith(f"\n  next: equiproof commit {tmp_path / 'm'} --out FOLDER\n")
    report = json.loads((tmp_path / "m" / "import.json").read_bytes())
    assert report["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (report["source"], report["columns"], report["units"]) == ("net.npz", list(COLUMNS[::-1]), "spec")
    assert report["measured_on"] == {"dataset": "lending", "sensitive": ["sex"], "one_hot": False}
    assert (tmp_path / "m" / "spec.json").read_bytes() == canonical_bytes(lending.spec)
    network = Network.load(tmp_path / "m" / "network.npz")
    assert (network.weights[0] == arrays()["W0"].T[:, ::-1]).all()


def test_a_model_without_the_sensitive_feature_says_so(cli, tmp_path, lending):
    """Without --unused it is refused with that option; with it, no row flips, and the rows go on to `commit`."""
    (tmp_path / "spec.json").write_bytes(canonical_bytes(lending.spec))
    (tmp_path / "rows.json").write_text(json.dumps(applicants(lending, 30)))
    used = [name for name in COLUMNS if name != "sex"]
    path = npz(tmp_path / "net.npz", W0=np.delete(arrays()["W0"], COLUMNS.index("sex"), 0))
    common = ["--spec", tmp_path / "spec.json", "--columns", ",".join(used), "--units", "spec",
              "--rows", tmp_path / "rows.json", "--out", tmp_path / "m"]  # fmt: skip
    cli("import", path, *common).complaint(2, "no input sex, ", "--unused")
    outcome = cli("import", path, *common, "--unused", "sex")
    assert "of 30, 0 flip with the sensitive features" in outcome.out
    assert outcome.out.endswith(f"commit {tmp_path / 'm'} --rows {tmp_path / 'rows.json'} --out FOLDER\n")


def test_a_model_imported_for_a_data_set_is_measured_on_it(cli, tmp_path, lending):
    """Labels are there, so accuracy is; the model's own threshold, logits and rounding are no obstacle."""
    path = npz(tmp_path / "net.npz")
    folder = tmp_path / "m"
    common = ["--dataset", "lending", "--columns", NAMES, "--units", "spec", "--out", folder]
    assert cli("import", path, *common, "--threshold", "0.25", "--weight-bits", "24,20", "--allow-loss").code == 0
    report = cli("commit", folder, "--out", tmp_path / "o", "--json").document["fidelity"]["rows"]
    assert (report["points"], len(report["accuracy"])) == (len(lending.rows), 2)
    opening = parse_opening((tmp_path / "o" / "opening.json").read_bytes(), "opening.json")
    wanted = {"threshold": "0.25", "weight_bits": (24, 20), "allow_loss": True}
    assert opening.spec == msgspec.structs.replace(lending.spec, **wanted)


def test_a_model_of_two_logits_decides_by_the_larger(cli, tmp_path):
    """The spec of a data set takes the model's number of logits; a number that does not fit its labels is refused."""
    common = ["--dataset", "lending", "--columns", NAMES, "--units", "spec"]
    for logits in (2, 3):
        np.savez(tmp_path / f"{logits}.npz", **arrays() | {"W1": np.eye(3, logits), "b1": np.zeros(logits)})
    outcome = cli("import", tmp_path / "2.npz", *common, "--allow-loss", "--out", tmp_path / "m", "--json")
    assert outcome.document["logits"] == 2
    committed = cli("commit", tmp_path / "m", "--out", tmp_path / "o", "--json").document
    assert committed["fidelity"]["rows"]["points"] == 4000
    cli("import", tmp_path / "3.npz", *common, "--out", tmp_path / "n").complaint(2, "3 logit(s)")


def test_without_data_no_row_is_measured_and_it_is_said(cli, tmp_path):
    """A model imported by a spec file is measured on random points only; the text says which option takes rows."""
    folder = by_spec(cli, tmp_path)
    outcome = cli("commit", folder, "--out", tmp_path / "o")
    assert outcome.code == 0
    first, rest = outcome.out.split("\n", 1)
    assert first == f"{NOT_COMPARED}: --rows FILE --decisions COLUMN"
    assert rest.startswith("not measured on rows: ")
    assert "--rows" in outcome.out
    assert cli("commit", folder, "--out", tmp_path / "p", "--json").document["fidelity"]["rows"] is None


def by_spec(cli, tmp_path):
    """Import a model by a spec file and return its folder."""
    (tmp_path / "spec.json").write_bytes(canonical_bytes(make_lending(40).spec))
    common = ["--spec", tmp_path / "spec.json", "--columns", NAMES, "--units", "spec"]
    assert cli("import", npz(tmp_path / "net.npz"), *common, "--out", tmp_path / "m").code == 0
    return tmp_path / "m"


def test_rows_that_do_not_fit_are_named(cli, tmp_path):
    """A row without the sensitive value, or with another mistake, is named by file, row and feature."""
    folder = by_spec(cli, tmp_path)
    row = dict(make_lending(40).rows[0])
    (tmp_path / "rows.json").write_text(json.dumps([row, {name: row[name] for name in row if name != "sex"}]))
    command = ["commit", folder, "--out", tmp_path / "o", "--rows", tmp_path / "rows.json"]
    cli(*command).complaint(2, tmp_path / "rows.json", "row 2", "'sex'")
    assert not (tmp_path / "o").exists()


def washed_out(path, loss, weight=64):
    """Write a network whose weight on sex loses a share loss / (1 - loss) at 8 bits, and return its path."""
    first = np.zeros((len(COLUMNS), 1))
    first[COLUMNS.index("income")], first[COLUMNS.index("sex")] = weight, 1 - loss
    return npz(path, W0=first, b0=np.zeros(1), W1=np.ones((1, 1)))


@pytest.mark.slow
def test_a_model_whose_sensitive_weights_round_away_is_refused(cli, tmp_path):
    """The line names the column and the options; wider weights mend it, and --allow-loss writes it into the spec."""
    path = washed_out(tmp_path / "net.npz", 0.02)
    (tmp_path / "spec.json").write_bytes(canonical_bytes(make_lending(40).spec))
    command = ["import", path, "--spec", tmp_path / "spec.json", "--columns", NAMES, "--units", "spec",
               "--out", tmp_path / "m"]  # fmt: skip
    line = cli(*command, "--weight-bits", "8,8").complaint(2, "column sex loses 2.1 %", "--weight-bits", "--allow-loss")
    assert "0.98" not in line
    assert not (tmp_path / "m").exists()
    document = cli(*command, "--json").document
    assert document["fidelity"]["weight_loss"]["sex"] < 0.001
    spec = parse_spec((tmp_path / "m" / "spec.json").read_bytes(), "spec.json")
    assert (spec.weight_bits, spec.allow_loss) == ((16, 16), False)
    outcome = cli(*command, "--force", "--weight-bits", "8, 9", "--allow-loss")
    assert "sex: 2.1 % of the weight of its column is lost in rounding" in outcome.out
    spec = parse_spec((tmp_path / "m" / "spec.json").read_bytes(), "spec.json")
    assert (spec.weight_bits, spec.allow_loss) == ((8, 9), True)
    assert cli("commit", tmp_path / "m", "--out", tmp_path / "o").code == 0


def test_weights_are_as_wide_as_the_model_needs_on_request(cli, tmp_path):
    """As with `widen` in Python; widths that are given as well are refused."""
    path = washed_out(tmp_path / "net.npz", 0.02, weight=64 << 8)
    (tmp_path / "spec.json").write_bytes(canonical_bytes(make_lending(40).spec))
    command = ["import", path, "--spec", tmp_path / "spec.json", "--columns", NAMES, "--units", "spec",
               "--out", tmp_path / "m", "--accept-labels"]  # fmt: skip
    cli(*command).complaint(2, "column sex loses 2.1 %", "use wider --weight-bits")
    cli(*command, "--widen", "--weight-bits", "24,20").complaint(2, "leave --widen out: --weight-bits says how wide")
    outcome = cli(*command, "--widen")
    assert outcome.code == 0, outcome.err
    spec = parse_spec((tmp_path / "m" / "spec.json").read_bytes(), "spec.json")
    same = import_model(path, load_spec(tmp_path / "spec.json"), columns=NAMES.split(","), units="spec", widen=True)
    assert spec == same.spec
    assert spec.weight_bits[0] > 16


@pytest.mark.slow
def test_a_row_that_rounding_makes_fair_is_refused(cli, tmp_path):
    """With --rows or --dataset, a flip that is lost is named by file and row; another measurement has no such row."""
    data = make_lending(40)
    (tmp_path / "spec.json").write_bytes(canonical_bytes(data.spec))
    rows = [dict(data.rows[number]) | {"income": income} for number, income in enumerate(("700", "2000.11", "9000"))]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    # Only income and a little sex: the logit is 0 at an income between two steps of the grid.
    feature = next(feature for feature in data.spec.features if feature.name == "income")
    place = (Fraction("2000.11") - Fraction(feature.mean)) / Fraction(feature.scale)
    assert (place * 1024) % 1
    first = np.zeros((len(COLUMNS), 1))
    first[COLUMNS.index("income")], first[COLUMNS.index("sex")] = 1, 2.0**-14
    path = npz(
        tmp_path / "net.npz", W0=first, b0=np.array([16.0]), W1=np.ones((1, 1)), b1=np.array([-16 - float(place)])
    )
    command = ["import", path, "--spec", tmp_path / "spec.json", "--columns", NAMES, "--units", "spec"]
    cli(*command, "--rows", tmp_path / "rows.json", "--out", tmp_path / "m").complaint(
        2, "rows.json: row 2", "--allow-loss"
    )
    assert not (tmp_path / "m").exists()
    outcome = cli(*command, "--out", tmp_path / "m")
    assert (outcome.code, "not measured on rows" in outcome.out) == (0, True)
    committed = cli("commit", tmp_path / "m", "--rows", tmp_path / "rows.json", "--out", tmp_path / "o")
    assert committed.code == 0
    assert "WARNING: row 2 of rows.json flips in the float model" in committed.out
    assert (
        "of 3, 1 flip with the sensitive features in the float model; committed: 1 flip lost, 0 gained" in committed.out
    )


def test_predict_shows_the_imported_model(cli, tmp_path):
    """The decisions of an imported network are those of its arrays."""
    folder = by_spec(cli, tmp_path)
    data = make_lending(40)
    (tmp_path / "rows.json").write_text(json.dumps([dict(row) for row in data.rows[:20]]))
    decided = cli("predict", folder, tmp_path / "rows.json", "--json").document["rows"]
    network = Network(tuple(arrays()[name].T.astype(float) for name in ("W0", "W1")),
                      tuple(arrays()[name].astype(float) for name in ("b0", "b1")))  # fmt: skip
    columns = np.array([(*data.spec.encode(row), *data.spec.encode_sensitive(row)) for row in data.rows[:20]])
    labels = [data.spec.labels[label] for label in network.decide(columns / data.spec.scale_unit)]
    assert [row["float"]["label"] for row in decided] == labels
    assert len(set(labels)) == 2


def test_declared_domains_give_names_and_ranges(cli, tmp_path):
    """With --domains the file orders the inputs; what its ranges and codes do not agree on is noted."""
    (tmp_path / "d.json").write_text(json.dumps({"loans": DOMAIN}))
    np.savez(tmp_path / "net.npz", **arrays(width=4))
    common = ["import", tmp_path / "net.npz", "--domains", tmp_path / "d.json", "--labels", "no,yes", "--json"]
    first = cli(*common, "--out", tmp_path / "m").document
    assert (first["columns"], first["units"], first["slices"]) == (DOMAIN["order"], "raw", 2)
    (note,) = first["notes"]
    assert note.startswith("job: 3 codes")
    swept = cli(*common, "--sensitive", "age,sex", "--out", tmp_path / "n").document
    assert (swept["sensitive"], swept["slices"]) == (["age", "sex"], 86)


def test_an_imported_model_is_inspected_with_and_without_data(cli, tmp_path):
    """`inspect` reports the cost of an imported model; without data it searches nobody and measures no row."""
    folder = by_spec(cli, tmp_path)
    alone = cli("inspect", folder, "--json").document
    assert (alone["fidelity"]["rows"], alone["sample"]["applicants"]) == (None, 0)
    (tmp_path / "rows.json").write_text(json.dumps([dict(row) for row in make_lending(40).rows[:3]]))
    assert cli("inspect", folder, "--rows", tmp_path / "rows.json", "--json").document["sample"]["applicants"] == 3


def test_two_models_do_not_share_a_folder(cli, tmp_path):
    """An import does not overwrite a model unasked, and never moves in with one that was trained."""
    folder = by_spec(cli, tmp_path)
    common = ["--spec", tmp_path / "spec.json", "--columns", NAMES, "--units", "spec", "--out", folder]
    before = listing(folder)
    cli("import", tmp_path / "net.npz", *common).complaint(2, folder / "network.npz", "--force")
    assert listing(folder) == before
    assert cli("import", tmp_path / "net.npz", *common, "--force").code == 0
    (folder / "training.json").write_text("{}")
    line = cli("import", tmp_path / "net.npz", *common, "--force").complaint(2, folder / "training.json")
    assert "--force" not in line
    cli("commit", folder, "--out", tmp_path / "o").complaint(2, folder, "training.json", "import.json")


@pytest.mark.parametrize("report", [b"", b"{}", b"[]", b'{"measured_on": 3}', b'{"measured_on": {"dataset": "x"}}'])
def test_a_report_that_is_none_is_named(cli, tmp_path, report):
    """An import.json that is none is named, and nothing is committed."""
    folder = by_spec(cli, tmp_path)
    (folder / "import.json").write_bytes(report)
    cli("commit", folder, "--out", tmp_path / "o").complaint(2, folder / "import.json")
    assert not (tmp_path / "o").exists()


def test_the_spec_of_another_data_set_is_refused(cli, tmp_path):
    """A model imported for a data set is committed under that data set's spec and no other."""
    folder = tmp_path / "m"
    common = ["--dataset", "lending", "--columns", NAMES, "--units", "spec", "--out", folder]
    assert cli("import", npz(tmp_path / "net.npz"), *common).code == 0
    spec = json.loads((folder / "spec.json").read_bytes())
    spec["features"][0]["scale"] = "1"
    (folder / "spec.json").write_bytes(canonical_bytes(spec))
    cli("commit", folder, "--out", tmp_path / "o").complaint(2, folder / "spec.json", "lending")


BY_DATA = ["--dataset", "lending", "--units", "spec"]
MISUSED = {
    "no meaning": ([], "one of --spec, --dataset and --domains"),
    "two meanings": (["--dataset", "lending", "--spec", "s.json"], "one of --spec, --dataset and --domains"),
    "no units": (["--dataset", "lending", "--columns", NAMES], "--units"),
    "no names": (BY_DATA, "--columns"),
    "a name missing": ([*BY_DATA, "--columns", NAMES.removesuffix(",sex")], "no input sex"),
    "an unknown name": ([*BY_DATA, "--columns", NAMES.replace("sex", "Sex")], "no column Sex"),
    "a doubled name": ([*BY_DATA, "--columns", f"{NAMES},sex"], "two columns called 'sex'"),
    "names from nowhere": ([*BY_DATA, "--columns", "@nowhere.txt"], "nowhere.txt"),
    "other units": ([*BY_DATA, "--columns", NAMES, "--units", "scaled"], "--units"),
    "other classes": ([*BY_DATA, "--columns", NAMES, "--classes", "no,yes"], "refused, granted"),
    "labels of the data set": ([*BY_DATA, "--labels", "a,b"], "--labels cannot be combined with --dataset"),
    "a threshold that is none": ([*BY_DATA, "--columns", NAMES, "--threshold", "half"], "'half'"),
    "a width alone": ([*BY_DATA, "--columns", NAMES, "--weight-bits", "24"], "--weight-bits: '24' is not two widths"),
    "widths of text": ([*BY_DATA, "--columns", NAMES, "--weight-bits", "a,b"], "--weight-bits: 'a,b'"),
    "widths that no spec has": (
        [*BY_DATA, "--columns", NAMES, "--weight-bits", "24,33"],
        "weight_bits must be between 8",
    ),
    "no such rows": ([*BY_DATA, "--columns", NAMES, "--rows", "nowhere.json"], "nowhere.json"),
    "an unknown data set": (["--dataset", "nonsense", "--units", "raw"], "nonsense"),
    "no such domains": (["--domains", "nowhere.json"], "nowhere.json"),
}


@pytest.mark.parametrize("kind", MISUSED)
def test_options_that_do_not_fit_are_named(cli, tmp_path, monkeypatch, kind):
    """What is missing, doubled or contradictory is one line, and no folder is made."""
    monkeypatch.chdir(tmp_path)
    options, named = MISUSED[kind]
    cli("import", npz(tmp_path / "net.npz"), "--out", tmp_path / "m", *options).complaint(2, named)
    assert not (tmp_path / "m").exists()


FILES = {
    "empty.onnx": (b"", "not an ONNX file"),
    "text.onnx": (b"hello", "not an ONNX file"),
    "empty.npz": (b"", "not an .npz file"),
    "zip.npz": (b"PK\x03\x04", "not an .npz file"),
    "model.pt": (b"\x80\x04K\x01.", "runs the code in it"),
    "model.pkl": (b"\x80\x04K\x01.", "runs the code in it"),
    "model.h5": (b"\x89HDF", "files of Keras are not read"),
    "model": (b"", "a file without an ending is none that is read"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_model_is_named(cli, tmp_path, name):
    """Files that are none, or that would run code, are one line that names the file."""
    data, named = FILES[name]
    (tmp_path / name).write_bytes(data)
    command = ["import", tmp_path / name, *BY_DATA, "--columns", NAMES, "--out", tmp_path / "m"]
    cli(*command).complaint(2, tmp_path / name, named)
    assert not (tmp_path / "m").exists()


UNREAD = {
    **dict.fromkeys(("forest.pkl", "forest.joblib.gz", "net.pt", "NET.PTH", "net.bin"), "runs the code in it"),
    "forest.skops": "skops.io.load",
    "trees.cbm": "CatBoost's binary format is not read",
    **dict.fromkeys(("trees.ubj", "trees.bst"), "XGBoost's binary formats are not read"),
    **dict.fromkeys(("net.h5", "net.keras"), "files of Keras are not read"),
    "tree.pmml": "PMML is not read",
    "net.safetensors": "weights and no layers",
}
"""Files that are refused by their names, with what is said of each."""

WRONG_OPTIONS = (
    ("--nonsense",),
    ("--colums", "a,b"),
    ("--input-fraction-bits", "many"),
    ("--columns",),
    ("--spec", "--rows"),
)
"""Options that `import` does not have, a value that is no number, and options that are left without their value."""

READ = ("net.onnx", "net.npz", "trees.json", "trees.txt", "trees.lgb", "trees.model", "card.csv")


@pytest.mark.parametrize("name", [*UNREAD, *READ])
def test_a_file_is_judged_by_its_name_whatever_is_missing(cli, tmp_path, name):
    """Neither the file nor an option needs to be there for a format to be refused by its own name, and no other is."""
    said = cli("import", tmp_path / name)
    if name in READ:
        said.complaint(2, "Missing option '--out'")
    else:
        said.complaint(2, tmp_path / name, UNREAD[name])
        cli("import", "--force", "--out", tmp_path / "m", tmp_path / name).complaint(2, tmp_path / name, UNREAD[name])


@pytest.mark.parametrize("options", WRONG_OPTIONS, ids=" ".join)
def test_a_pickle_is_refused_by_name_whatever_options_are_wrong(cli, tmp_path, options):
    """Wherever the wrong options stand: that a pickle runs code is what its owner has to know first."""
    pickled = tmp_path / "m.pkl"
    cli("import", pickled, *options).complaint(2, pickled, "runs the code in it")
    cli("import", "--out", tmp_path / "m", pickled, *options).complaint(2, pickled, "runs the code in it")
    cli("import", "--nonsense", pickled).complaint(2, pickled, "runs the code in it")
    cli("import", tmp_path / "net.onnx", *options).complaint(2, options[0])
    cli("import", tmp_path / "net.onnx", "--rows", "rows.pkl", *options).complaint(2, options[0])


def test_a_missing_model_is_named(cli, tmp_path):
    """A path that leads nowhere, and a folder in the place of a file, are named."""
    (tmp_path / "folder.npz").mkdir()
    for name in ("missing.npz", "missing.onnx", "folder.npz"):
        cli("import", tmp_path / name, *BY_DATA, "--out", tmp_path / "m").complaint(2, tmp_path / name)


def test_levels_are_given_or_drafted_from_the_rows(cli, tmp_path, lending):
    """The folder's spec has the levels; too few rows for a draft, and texts that are no levels, are one line."""
    common = [npz(tmp_path / "net.npz"), "--dataset", "lending", "--columns", NAMES, "--units", "spec"]
    assert cli("import", *common, "--levels", "0.1,0.5", "--out", tmp_path / "m").code == 0
    levels = parse_spec((tmp_path / "m" / "spec.json").read_bytes(), "spec.json").levels
    assert levels == ("0.1", "0.5")
    committed = cli("commit", tmp_path / "m", "--accept-labels", "--out", tmp_path / "owner")
    assert committed.code == 0, committed.err
    assert parse_opening((tmp_path / "owner" / "opening.json").read_bytes(), "opening.json").spec.levels == levels
    cli("import", *common, "--levels", "0.5,0.1", "--out", tmp_path / "n").complaint(2, "levels: list levels above 0")
    (tmp_path / "rows.json").write_text(json.dumps(applicants(lending, 24)))
    few = [*common, "--rows", tmp_path / "rows.json", "--out", tmp_path / "n"]
    refused = "fair applicants, and a draft needs 20; give more rows, or name the levels"
    cli("import", *few, "--levels", "draft").complaint(4, refused)
    for options, code, said in (
        (("--levels", "exact", "--gain-levels", "0.1"), 2, "list levels beside gain_levels"),
        (("--levels", "exact", "--gain-levels", "draft"), 2, "list levels beside gain_levels"),
        (("--levels", "0.1", "--gain-levels", "0.2,0.1"), 2, "gain_levels: list levels above 0"),
        (("--levels", "0.1", "--gain-levels", "17"), 2, "gain_levels: levels are at most 16"),
        (("--levels", "0.1,17"), 2, "levels: levels are at most 16"),
    ):
        cli("import", *few, *options).complaint(code, said)
    assert not (tmp_path / "n").exists()
    exact = cli("import", *common, "--levels", "exact", "--out", tmp_path / "n")
    assert exact.code == 0
    assert "levels" not in json.loads((tmp_path / "n" / "spec.json").read_text())


@pytest.mark.usefixtures("levels_by_default")
def test_without_an_option_levels_are_proposed(cli, tmp_path, lending):
    """Where rows are too few for a draft, the spread's level is in the folder, and a note says what it is and why."""
    common = [npz(tmp_path / "net.npz"), "--dataset", "lending", "--columns", NAMES, "--units", "spec"]
    (tmp_path / "rows.json").write_text(json.dumps(applicants(lending, 24)))
    few = [*common, "--rows", tmp_path / "rows.json"]
    outcome = cli("import", *few, "--gain-levels", "0.1", "--out", tmp_path / "m")
    assert outcome.code == 0, outcome.err
    assert "  note: levels 0.25, a quarter of each number's spread: age +- 3.1 years; not drafted" in outcome.out
    assert " 8 fair applicants, and a draft needs 20; give more rows, or name the levels" in outcome.out
    spec = parse_spec((tmp_path / "m" / "spec.json").read_bytes(), "spec.json")
    assert (spec.levels, spec.gain_levels) == (("0.25",), ("0.1",))
    kept = cli("import", *few[:1], "--spec", tmp_path / "m" / "spec.json", *few[3:], "--out", tmp_path / "n")
    assert "note: levels" not in kept.out
    assert (tmp_path / "n" / "spec.json").read_bytes() == (tmp_path / "m" / "spec.json").read_bytes()
