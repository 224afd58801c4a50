"""Bad files: each ends with 2 and one line that names the file, and leaves nothing behind."""

import hashlib
import io
import json
import shutil
import zipfile

import numpy as np
import pytest

from equiproof.prover.opening import Opening
from tests.cli.world import HOSTILE, canonical, edits, listing
from tests.support import network

NOT_JSON = {
    "empty": b"",
    "blank": b" \n",
    "truncated": b'{"age": ',
    "text": b"hello",
    "not UTF-8": b'\xff\xfe{"age": 1}',
    "UTF-16": '{"age": 1}'.encode("utf-16"),
    "NaN": b'{"age": NaN}',
    "Infinity": b'{"age": -Infinity}',
    "binary": bytes(range(256)),
    "nested lists": b"[" * 100_000 + b"]" * 100_000,
    "nested objects": b'{"age":' * 100_000,
    "5000 digits": b'{"age": 1' + b"0" * 5000 + b"}",
    "lone surrogate": b'{"\\ud800": "\\udfff"}',
    "escape": b'{"\\u001b[31m": "\\u001b]0;x\\u0007"}',
    "null": b"null",
    "number": b"12",
    "string": b'"text"',
    "list": b"[1, 2]",
    "empty list": b"[]",
    "no fields": b"{}",
    "unknown field": b'{"unheard_of": "x"}',
    "huge exponent": b'{"age": 1e999999999}',
    "too long": b'{"age": "' + b"x" * (5 << 20) + b'"}',
}
FILES = [
    ("certify", "row"), ("certify", "opening"),
    ("prove", "row"), ("prove", "opening"), ("prove", "context"), ("prove", "keys"),
    ("verify", "certificate"), ("verify", "commitment"), ("verify", "query"), ("verify", "context"), ("verify", "keys"),
    ("setup", "commitment"),
    ("predict", "rows"), ("predict", "model"), ("commit", "model"), ("commit", "rows"),
    ("inspect", "model"), ("inspect", "rows"), ("import", "model"), ("import", "spec"), ("import", "domains"),
    ("circuit", "row"), ("circuit", "opening"),
    ("repair", "rows"), ("repair", "opening"), ("repair", "keep"), ("repair", "context"), ("repair", "keys"),
]  # fmt: skip


def foreign(path):
    """Write a model that was made elsewhere: one neuron on one input."""
    np.savez(path, W0=np.ones((1, 1)), b0=np.ones(1), W1=np.ones((1, 1)), b1=np.ones(1))
    return path


def words(world, command, folder, **changed):
    """Return the words of a command that writes into `folder`, with some files changed."""
    if command == "predict":
        return ["predict", changed.get("model", world.model), changed.get("rows", world.full)]
    if command == "commit":
        rows = ["--rows", changed["rows"]] if "rows" in changed else []
        return ["commit", changed.get("model", world.model), "--out", folder / "owner", *rows]
    if command == "inspect":
        return ["inspect", changed.get("model", world.model), "--rows", changed.get("rows", world.full)]
    if command == "import":
        network = changed.get("model", foreign(folder.parent / "foreign.npz"))
        spec = ["--spec", changed.get("spec", world.model / "spec.json")]
        meaning = ["--domains", changed["domains"]] if "domains" in changed else spec
        return ["import", network, *meaning, "--units", "spec", "--columns", "age", "--out", folder / "model"]
    if command == "circuit":
        at = {"row": world.row, "opening": world.opening} | changed
        options = ["--opening", at["opening"], "--keys", folder / "keys", "--out", folder / "proof.json"]
        return ["circuit", "prove", "order", at["row"], *options, "--instance-out", folder / "instance.json"]
    if command == "repair":
        proof = ["--prove", "--keys", changed.get("keys", world.keys)]
        proof += ["--context", changed["context"]] if "context" in changed else []
        keep = ["--keep", changed["keep"]] if "keep" in changed else []
        at = {"rows": world.unfair, "opening": world.opening} | changed
        options = ["--opening", at["opening"], "--out", folder, "--scheme", "traversal", "--steps", "0"]
        return ["repair", at["rows"], *options, *keep, *(proof if {"keys", "context"} & changed.keys() else [])]
    if command == "setup":
        return world.setup(folder / "keys", **changed)
    if command == "prove":
        return world.prove(folder, **changed)
    return getattr(world, command)(**changed)


@pytest.fixture
def out(tmp_path):
    """An empty folder for what must not be written."""
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(("command", "argument"), FILES)
def test_a_file_that_is_not_there_is_named(world, cli, tmp_path, out, command, argument):
    """A missing file or folder ends with 2 and is named."""
    path = tmp_path / "missing"
    cli(*words(world, command, out, **{argument: path})).complaint(2, path)
    assert not list(out.iterdir())


@pytest.mark.parametrize(("command", "argument"), FILES)
def test_a_folder_in_the_place_of_a_file_is_named(world, cli, tmp_path, out, command, argument):
    """An empty folder in the place of a file, of a model or of keys ends with 2 and is named."""
    path = tmp_path / "folder"
    path.mkdir()
    cli(*words(world, command, out, **{argument: path})).complaint(2, path)
    assert not list(out.iterdir())


# Every day each file has some of the bytes, and all of the bytes are in some files.
@pytest.mark.sampled(len(FILES), each="file part")
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("file", FILES, ids=" ".join)
def test_what_is_no_document_is_named(world, cli, tmp_path, out, file, part):
    """Bytes that are no document of the wanted kind end with 2, lines that name the file, and no result."""
    (command, argument), wrong = file, {}
    path = tmp_path / "bad.json"
    for kind in list(NOT_JSON)[part::4]:
        path.write_bytes(NOT_JSON[kind])
        outcome = cli(*words(world, command, out, **{argument: path}))
        try:
            outcome.complaints(2, path)
            assert not list(out.iterdir())
        except AssertionError as error:
            wrong[kind] = str(error)[:300]
            shutil.rmtree(out)
            out.mkdir()
    assert not wrong


BAD_ROWS = {
    "missing feature": ({"age": None}, "age"),
    "unknown category": ({"purpose": "yacht"}, "purpose"),
    "category of another feature": ({"purpose": "master"}, "purpose"),
    "category in another case": ({"purpose": "Car"}, "purpose"),
    "category as a number": ({"education": 1}, "education"),
    "below the range": ({"age": 17}, "age"),
    "above the range": ({"age": 76}, "age"),
    "just above the range": ({"age": "75.000000000000000000001"}, "age"),
    "text": ({"income": "much"}, "income"),
    "NaN as text": ({"income": "NaN"}, "income"),
    "infinity as text": ({"income": "Infinity"}, "income"),
    "empty text": ({"income": ""}, "income"),
    "thousands separator": ({"income": "3,000"}, "income"),
    "underscore": ({"income": "3_000"}, "income"),
    "huge integer": ({"income": 10**400}, "income"),
    "huge exponent as text": ({"income": "1e999999999"}, "income"),
    "tiny exponent as text": ({"income": "1e-999999999"}, "income"),
    "true": ({"income": True}, "income"),
    "null": ({"income": HOSTILE["null"]}, "income"),
    "list": ({"income": [3000]}, "income"),
    "object": ({"income": {"value": 3000}}, "income"),
    "escape": ({"purpose": "\x1b[31mcar"}, "purpose"),
}


@pytest.mark.parametrize("kind", BAD_ROWS)
@pytest.mark.parametrize("command", ["certify", "prove", "predict"])
def test_a_row_that_does_not_fit_is_named(world, cli, tmp_path, out, command, kind):
    """A row that does not fit the spec is named by file, row and feature, and nothing is written."""
    edit, feature = BAD_ROWS[kind]
    row = json.loads(world.full.read_bytes()) | edit
    if kind == "missing feature":
        del row["age"]
    path = tmp_path / "row.json"
    path.write_text(json.dumps(row))
    argument = "rows" if command == "predict" else "row"
    cli(*words(world, command, out, **{argument: path})).complaint(2, path, "row 1", feature)
    assert not list(out.iterdir())


def test_two_rows_are_not_one_applicant(world, cli, tmp_path, out):
    """A file of two rows is refused where one applicant is wanted."""
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([json.loads(world.row.read_bytes())] * 2))
    cli(*words(world, "prove", out, row=path)).complaint(2, path, "2 rows")
    assert not list(out.iterdir())


@pytest.mark.parametrize("command", ["certify", "prove", "predict"])
def test_a_feature_given_twice_is_refused(world, cli, tmp_path, out, command):
    """A row that gives two values for one feature has no meaning."""
    path = tmp_path / "row.json"
    path.write_text(world.full.read_text().replace('"age":', '"age": 18, "age":', 1))
    cli(*words(world, command, out, **{"rows" if command == "predict" else "row": path})).complaint(2, path)


def test_the_sensitive_value_of_an_applicant_does_not_matter(world, cli, tmp_path):
    """A row with a sensitive value, whichever, is certified like the one without."""
    found = []
    for sex in (None, "female", "male"):
        path = tmp_path / "row.json"
        path.write_text(json.dumps(json.loads(world.row.read_bytes()) | ({} if sex is None else {"sex": sex})))
        found.append(cli(*world.certify("--json", row=path)).document)
    assert found[0] == found[1] == found[2]


CSV = {
    "empty": b"",
    "header only": b"age,sex\n",
    "short row": b"age,sex\n18,male\n19\n",
    "long row": b"age,sex\n18,male\n19,male,x\n",
    "two columns of one name": b"age,sex,age\n18,male,19\n",
    "open quote": b'age,sex\n"18,male\n',
    "NUL": b"age,sex\n18,\x00male\n",
    "not UTF-8": b"age,sex\n18,m\xe4nnlich\n",
    "field without end": b"age,sex\n" + b"1" * 200_000 + b",male\n",
}


@pytest.mark.parametrize("kind", CSV)
def test_a_csv_file_that_does_not_read_is_named(world, cli, tmp_path, kind):
    """A CSV file that is no table, or misses features, ends with 2 and is named."""
    path = tmp_path / "rows.csv"
    path.write_bytes(CSV[kind])
    line = cli("predict", world.model, path).complaint(2, path)
    if kind.endswith("row"):
        assert "row 2" in line or "row 1" in line


@pytest.fixture
def model(world, tmp_path):
    """A copy of the model folder."""
    return shutil.copytree(world.model, tmp_path / "model")


def archive(**arrays):
    """Return the bytes of an .npz file."""
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def claimed(count):
    """Return the bytes of an .npz file with an array that claims more numbers than it has."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (count,)})
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name in ("W0", "b0", "W1", "b1"):
            file.writestr(f"{name}.npy", header.getvalue() + b"\x00" * 8)
    return stream.getvalue()


def bad_networks(path):
    """Yield bytes that are no network of this spec, by kind."""
    arrays, data = dict(np.load(path)), path.read_bytes()
    yield from {"empty": b"", "text": b"hello", "truncated": data[: len(data) // 2], "zip": b"PK\x03\x04"}.items()
    stream = io.BytesIO()
    np.save(stream, arrays["W0"])
    yield "one array", stream.getvalue()
    yield "pickle", b"\x80\x04K\x01."
    yield "claims too much", claimed(1 << 44)
    yield "no arrays", archive()
    yield "one layer", archive(W0=arrays["W0"], b0=arrays["b0"])
    yield "one array more", archive(**arrays, extra=np.zeros(1))
    for name, value in {
        "NaN": arrays["W0"] * np.nan,
        "infinite": arrays["W0"] * np.inf,
        "too large": arrays["W0"] * 1e9,
        "complex": arrays["W0"] + 1j,
        "text": np.array([["a"]]),
        "objects": np.array([[{}]], dtype=object),
        "fewer columns": arrays["W0"][:, :-1],
        "more columns": np.hstack([arrays["W0"], arrays["W0"]]),
        "one dimension": arrays["W0"][0],
    }.items():
        yield name, archive(**arrays | {"W0": value})
    yield "huge bias", archive(**arrays | {"b0": arrays["b0"] + 1e300})
    yield "two logits", archive(**arrays | {"W1": np.zeros((2, 3)), "b1": np.zeros(2)})


@pytest.mark.parametrize("command", ["predict", "commit"])
@pytest.mark.filterwarnings("error::numpy.exceptions.ComplexWarning")
def test_a_file_that_is_no_network_is_named(world, cli, model, out, command):
    """Whatever stands in network.npz, the line names it, and nothing is written."""
    path, wrong = model / "network.npz", {}
    for kind, data in list(bad_networks(path)):
        path.write_bytes(data)
        try:
            cli(*words(world, command, out, model=model)).complaint(2, path)
            assert not list(out.iterdir())
        except AssertionError as error:
            wrong[kind] = str(error)[:300]
    assert not wrong


@pytest.mark.parametrize("name", ["network.npz", "spec.json", "training.json"])
def test_a_model_folder_without_one_of_its_files_is_refused(world, cli, model, out, name):
    """Each file of a model folder is needed, and named where it is missing."""
    (model / name).unlink()
    cli(*words(world, "commit", out, model=model)).complaint(2, model / name)
    assert not list(out.iterdir())


def other_specs(spec):
    """Yield specs that are in order and belong to other models."""
    features = spec["features"]
    yield "another feature", spec | {"features": [features[0] | {"name": "years"}, *features[1:]]}
    yield "another scale", spec | {"features": [features[0] | {"scale": "1"}, *features[1:]]}
    yield "one feature less", spec | {"features": features[1:]}
    yield "other labels", spec | {"labels": ["yes", "no"]}
    yield "another threshold", spec | {"threshold": "1"}


def test_the_spec_of_another_model_is_refused(world, cli, model, out):
    """A model is committed under the spec that it was trained with, and no other."""
    path, wrong = model / "spec.json", {}
    for kind, spec in list(other_specs(json.loads(path.read_bytes()))):
        path.write_bytes(canonical(spec))
        outcome = cli(*words(world, "commit", out, model=model))
        if outcome.code != 2 or outcome.err.count("\n") != 1 or str(model) not in outcome.err or list(out.iterdir()):
            wrong[kind] = (outcome.code, outcome.err[:300])
            shutil.rmtree(out)
            out.mkdir()
    assert not wrong


@pytest.mark.parametrize("kind", ["empty", "truncated", "NaN", "list", "no fields", "nested objects", "nested lists"])
def test_a_report_that_is_none_is_named(world, cli, model, out, kind):
    """A training.json that is none is named."""
    path = model / "training.json"
    path.write_bytes(NOT_JSON[kind])
    cli(*words(world, "commit", out, model=model)).complaint(2, path)


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_report_of_no_data_set_is_named(world, cli, model, out, kind):
    """A training.json that names no data set of ours is named itself, whatever it says instead."""
    path = model / "training.json"
    path.write_bytes(canonical(json.loads(path.read_bytes()) | {"dataset": HOSTILE[kind]}))
    cli(*words(world, "commit", out, model=model)).complaint(2, path)
    assert not list(out.iterdir())


@pytest.mark.sampled(3, each="argument")
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("argument", ["spec.json", "opening"])
def test_no_edited_field_of_the_owners_files_gives_a_traceback(world, cli, model, tmp_path, argument, part):
    """The owner's files may be edited into others that read; what does not read is one line that names the file."""
    path = model / "spec.json" if argument == "spec.json" else tmp_path / "opening.json"
    source = path if argument == "spec.json" else world.opening
    run = ["predict", model, world.full] if argument == "spec.json" else world.certify(row=world.unfair, opening=path)
    allowed, wrong = ((0, 2) if argument == "spec.json" else (0, 2, 3, 4)), {}
    for what, edited in list(edits(json.loads(source.read_bytes())))[part::4]:
        path.write_bytes(canonical(edited))
        outcome = cli(*run)
        if outcome.code not in allowed:
            wrong[what] = (outcome.code, outcome.err[-300:])
        elif outcome.code == 2 and (outcome.err.count("\n") != 1 or "file" in outcome.out or len(outcome.err) > 2000):
            wrong[what] = outcome.err[:300]
    assert not wrong


@pytest.fixture
def keys(world, tmp_path):
    """A copy of the folder of keys and the one key in it."""
    folder = shutil.copytree(world.keys, tmp_path / "keys")
    return folder, folder / world.key.name


@pytest.mark.parametrize("name", ["key.json", "verifying.key", "proving.key"])
@pytest.mark.parametrize("damage", ["missing", "empty", "truncated", "one bit", "folder", "longer"])
def test_a_damaged_key_is_named(world, cli, out, keys, name, damage):
    """A key with a damaged file proves nothing and verifies nothing: one line names its folder."""
    folder, key = keys
    path = key / name
    data = path.read_bytes()
    path.unlink()
    if damage == "folder":
        path.mkdir()
    elif damage != "missing":
        flipped = data[:100] + bytes([data[100] ^ 1]) + data[101:]
        path.write_bytes({"empty": b"", "truncated": data[:-1], "one bit": flipped, "longer": data + b"x"}[damage])
    cli(*words(world, "prove", out, keys=folder)).complaint(2, folder)
    assert not list(out.iterdir())
    if name != "proving.key":
        outcome = cli(*world.verify(keys=folder))
        assert outcome.complaint(outcome.code)
        assert outcome.code in (1, 2)


def test_sensitive_values_of_an_applicant_are_named(world, cli, tmp_path, out):
    """Who puts a sensitive value into an applicant's file is told beside the proof; without one nothing is."""
    sensitive = json.loads(world.full.read_text()).keys() - json.loads(world.row.read_text()).keys()
    outcome = cli(*words(world, "prove", out, row=world.full))
    assert outcome.code == 0, outcome.err
    (warning,) = outcome.err.splitlines()
    assert warning.startswith("leave out ")
    assert warning.endswith(f": sensitive, neither needed nor taken; {world.full}")
    assert sensitive
    assert all(name in warning for name in sensitive)
    assert cli(*words(world, "prove", tmp_path / "other.json", row=world.row)).err == ""


def test_sensitive_values_are_named_wherever_applicants_are_read(world, cli, tmp_path):
    """Receipts of one and of many, and proofs of many, name sensitive values as `prove` does, once for a table."""
    table = tmp_path / "table.json"
    table.write_text(json.dumps([json.loads(world.full.read_text())] * 2))
    new = ("receipt", "new", world.full, "--opening", world.opening)
    of_many = ("--opening", world.opening, "--out-dir")
    run = ("prove", table, *of_many, tmp_path / "certificates", "--keys", world.keys, "--jobs", "1", "--json")
    for path, asked in (
        (world.full, (*new, "--out", tmp_path / "one")),
        (table, ("receipt", "new", table, *of_many, tmp_path / "many")),
        (table, run),
    ):
        outcome = cli(*asked)
        assert outcome.code == 0, outcome.err
        (warning,) = outcome.err.splitlines()
        assert warning == f"leave out sex: sensitive, neither needed nor taken; {path}"


def test_a_made_up_proving_key_is_named(world, cli, out, keys):
    """Where a foreign key.json names foreign bytes as its proving key, one line names the folder; none is written."""
    folder, key = keys
    data = bytearray((key / "proving.key").read_bytes())
    data[len(data) // 2 : len(data) // 2 + 4096] = bytes(4096)
    (key / "proving.key").write_bytes(data)
    document = json.loads((key / "key.json").read_bytes())
    (key / "key.json").write_bytes(canonical(document | {"proving_key": hashlib.sha256(data).hexdigest()}))
    cli(*words(world, "prove", out, keys=folder)).complaint(2, key, "make the key again (`equiproof setup --force`)")
    assert not list(out.iterdir())


def test_an_edited_key_file_is_refused_before_a_proof_is_made(world, cli, out, keys):
    """A key.json that names other keys, another circuit or another shape proves nothing."""
    folder, key = keys
    path, wrong = key / "key.json", {}
    document = json.loads(path.read_bytes())
    for field in ("system_digest", "verifying_key", "proving_key", "proof_system", "format", "version", "shape"):
        edited = document | {field: "0" * 64 if isinstance(document[field], str) else 7}
        path.write_bytes(canonical(edited))
        outcome = cli(*words(world, "prove", out, keys=folder))
        if outcome.code != 2 or outcome.err.count("\n") != 1 or str(folder) not in outcome.err or list(out.iterdir()):
            wrong[field] = (outcome.code, outcome.err[:300])
    assert not wrong


def test_a_key_of_another_shape_is_no_key_for_this_model(world, cli, tmp_path, out):
    """A key for other layers than the model's is not used; the message says how to make one."""
    opening, before = tmp_path / "opening.json", listing(world.keys)
    opening.write_bytes(Opening.of(network(world.owned.spec, (2,), seed=1), world.owned.spec, blinding=5).secret())
    cli(*words(world, "prove", out, opening=opening)).complaint(2, world.keys, "it needs --hidden 2", "equiproof setup")
    assert not list(out.iterdir())
    assert listing(world.keys) == before


def test_files_in_each_others_places_are_named(world, cli, out):
    """Each of our files is recognised where another of them is wanted: the line says which it is and which is."""
    kinds = {
        "opening": "an opening", "commitment": "a commitment", "query": "a query file", "context": "a context",
        "certificate": "a certificate", "row": "raw features",
    }  # fmt: skip
    ours = {getattr(world, name): kind for name, kind in kinds.items() if name not in ("context", "row")}
    ours |= {world.key / "key.json": "a key's metadata", world.model / "spec.json": "a spec"}
    wanted = [("verify", name) for name in ("certificate", "commitment", "query")] + [("prove", "opening")]
    wanted += [("setup", "commitment"), ("certify", "opening"), ("verify", "context"), ("prove", "context")]
    wanted += [("certify", "row"), ("prove", "row")]
    for command, argument in wanted:
        own = getattr(world, argument)
        for path, kind in ours.items():
            if path != own:
                said = cli(*words(world, command, out, **{argument: path})).complaint(2, f"{path}: this is {kind}")
                assert f", want {kinds[argument]}" in said
                assert ("do not pass it on" in said) == (path == world.opening)
    assert not list(out.iterdir())


def test_raw_features_are_no_query_file(world, cli):
    """An applicant's raw features in the place of the query file are recognised, and the right file is named."""
    cli(*world.verify(query=world.row)).complaint(
        2, f"{world.row}: give the query file", "--query-out", "these are raw features"
    )


def test_a_context_of_numbers_says_how_to_write_them(world, cli, tmp_path):
    """A context's value that is no text is named by its field; a number is shown as the text to write."""
    path = tmp_path / "context.json"
    for value, said in ((2026, ': texts only, write "2026"'), (None, ": texts only"), ([1], ": texts only")):
        path.write_text(json.dumps({"nonce": "0123456789abcdef", "date": value}))
        cli(*world.verify(context=path)).complaint(2, f"{path}: field 'date'{said}")


def test_a_reformatted_certificate_says_which_file_to_use(world, cli, tmp_path):
    """A certificate in another spelling is refused with the way out: the file as it was received."""
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(json.loads(world.certificate.read_bytes()), indent=2))
    cli(*world.verify(certificate=path)).complaint(2, path, "use the file as you received it")


def test_a_misspelled_feature_is_shown_beside_the_missing_one(world, cli, tmp_path, out):
    """A row that lacks a feature names at most three columns that the spec does not know; without any it names none."""
    row, path = json.loads(world.full.read_bytes()), tmp_path / "row.json"
    del row["income"]
    for command, argument in (("certify", "row"), ("prove", "row"), ("predict", "rows")):
        words_of = words(world, command, out, **{argument: path})
        path.write_text(json.dumps(row | {"incme": 3540}))
        cli(*words_of).complaint(2, "feature 'income' is missing; there is 'incme', which the spec does not know")
        path.write_text(json.dumps(row | dict.fromkeys("abcd", 1)))
        cli(*words_of).complaint(2, "'a', 'b', ... 1 more ..., 'd'")
        path.write_text(json.dumps(row))
        assert "there is" not in cli(*words_of).complaint(2, "'income' is missing")


@pytest.mark.parametrize(
    ("text", "said"),
    [("age;income\n44;3540\n", "row 1: feature 'education' is missing"), ("", "empty"), (" \n", "empty")],
)
def test_a_table_with_other_columns_or_nothing_in_it_is_told(world, cli, tmp_path, text, said):
    """Columns are told apart in a CSV of another country's spreadsheet, too."""
    path = tmp_path / "rows.csv"
    path.write_text(text)
    cli(*world.certify(row=path)).complaint(2, path, said)


@pytest.mark.parametrize("command", ["predict", "commit", "inspect"])
def test_a_file_in_the_place_of_a_model_folder_is_told(world, cli, out, command):
    """A file of a model folder in the place of the folder is named, and what is wanted."""
    for path in (world.model / "network.npz", world.opening):
        cli(*words(world, command, out, model=path)).complaint(
            2, f"{path}: not a model folder; want the folder that `train`"
        )
