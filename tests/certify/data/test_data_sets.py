"""The data sets in raw files: the known editions as they are, and made-up files with one thing wrong."""

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest

from equiproof.certify.data import DataError, load
from equiproof.certify.data.catalogue import TABLES, find_table
from equiproof.certify.data.dataset import encode_rows
from equiproof.certify.data.delimited import edition, without_identity
from equiproof.certify.data.loading import load_table
from equiproof.certify.data.missing_codes import suspects
from tests.certify.data.raw_files import make_records, write_table

# name: rows, rows of label 1, n_x as ranks, n_x one-hot, input bits, S, largest column value, end of both spec digests.
# Rows and labels are those that the sources document; a changed digest means that commitments change with it.
# Of a column value, 18 bits at 2^10 hold 128 scales.
KNOWN = {
    "adult": (48_842, 11_687, 13, 106, 18, 2, 13.3, (580_242_093, 420_403_570)),
    "adult_spouse": (48_842, 11_687, 13, 105, 18, 2, 13.3, (412_032_780, 60_381_743)),
    "bank_additional": (41_188, 4_640, 19, 61, 18, 4, 19.2, (489_290_479, 299_199_372)),
    "bank_full": (45_211, 5_289, 15, 48, 19, 3, 141.1, (614_620_003, 49_578_800)),
    "compas": (7_214, 3_251, 7, 9, 18, 6, 47.1, (412_408_347, 327_247_341)),
    "compas_filtered": (6_172, 2_809, 7, 9, 18, 6, 44.3, (940_469_409, 27_987_628)),
    "default_credit": (30_000, 6_636, 22, 31, 18, 2, 75.7, (98_070_390, 123_779_853)),
    "german": (1_000, 700, 19, 61, 18, 2, 5.4, (878_150_812, 930_933_222)),
    "hmda": (2_380, 2_095, 12, 18, 18, 2, 26.8, (637_841_950, 314_618_489)),
    "law_school": (20_798, 18_505, 10, 10, 18, 2, 6.5, (583_690_121, 583_690_121)),
    "ricci": (118, 56, 4, 5, 18, 3, 2.5, (134_263_097, 28_102_435)),
    "titanic": (712, 288, 6, 8, 18, 2, 8.6, (554_055_132, 196_704_799)),
}
LARGE = ("adult", "adult_spouse", "bank_additional", "bank_full", "default_credit")
"""Those that take seconds to read."""
SELDOM = ("ricci", "titanic")
"""Those that are read where their file is at hand, and skipped elsewhere."""


@pytest.mark.shared
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LARGE else name for name in KNOWN]
)
def test_the_known_edition_reads(public_data, name):
    """Rows, labels, split, widths and the spec of each data set are what is written down here."""
    rows, ones, plain, one_hot, bits, slices, largest, (rank_digest, one_hot_digest) = KNOWN[name]
    if name in SELDOM and not (public_data / name).exists():
        pytest.skip(f"there is no folder {name} with the raw file")
    data = load(name, public_data)
    assert (len(data.rows), sum(data.labels)) == (rows, ones)
    assert len(data.rows) == find_table(name).rows
    assert (len(data.train), len(data.test)) == (rows - rows // 5, rows // 5)
    assert (data.spec.plain_columns, data.spec.sensitive_columns) == (plain, 1)
    assert (data.spec.input_bits, len(data.spec.domain_table)) == (bits, slices)
    widest = np.abs(encode_rows(data.spec, data.rows)).max() / data.spec.scale_unit
    assert widest == pytest.approx(largest, abs=0.1)
    assert data.spec.digest % 10**9 == rank_digest
    assert all(set(row) == set(find_table(name).features) for row in data.rows[:100])
    other = load(name, public_data, encoding="one-hot")
    assert (other.spec.plain_columns, other.spec.sensitive_columns) == (one_hot, 1)
    assert other.spec.digest % 10**9 == one_hot_digest
    assert (other.rows, other.labels, other.train) == (data.rows, data.labels, data.train)


def test_the_page_tells_the_same():
    """The table of docs/data.md has the rows, inputs, labels and sensitive features that are held to here."""
    page = (Path(__file__).resolve().parents[3] / "docs" / "data.md").read_text()
    for name, (rows, _, plain, one_hot, *_) in KNOWN.items():
        table = TABLES[name]
        labels = "the same" if name in ("adult_spouse", "compas_filtered") else " / ".join(table.labels)
        start = f"| `{name}` | {rows:,} | {plain + 1} | {one_hot + 1} | {labels} | {', '.join(table.sensitive)} |"
        assert f"{start} {table.folder} |" in page


def test_the_papers_models_have_the_papers_inputs():
    """FairProof's networks take 20, 23 and 14 inputs: all columns but the ID."""
    assert [len(TABLES[name].columns) for name in ("german", "default_credit", "adult")] == [20, 23, 14]
    assert [TABLES[name].sensitive for name in ("german", "default_credit", "adult")] == [
        ("foreign_worker",),
        ("SEX",),
        ("sex",),
    ]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "sensitive", "slices", "plain"),
    [
        pytest.param("adult", ("sex", "race"), 10, 12, marks=pytest.mark.slow),
        ("german", ("age",), 53, 19),
        ("compas", ("race", "sex"), 12, 6),
        ("hmda", ("single", "afam"), 4, 11),
        ("law_school", ("race", "male"), 4, 9),
    ],
)
def test_sensitive_features_are_chosen_by_name(public_data, name, sensitive, slices, plain):
    """Several sensitive features give the full product, and every row's values are among it."""
    data = load(name, public_data, sensitive=sensitive)
    assert (len(data.spec.domain_table), data.spec.plain_columns) == (slices, plain)
    encoded = encode_rows(data.spec, data.rows[:500])[:, data.spec.plain_columns :]
    assert set(map(tuple, encoded.tolist())) <= set(data.spec.domain_table)


@pytest.mark.shared
def test_the_order_of_the_names_does_not_matter(public_data):
    """Sensitive features stand in the order of the file."""
    one, other = (load("hmda", public_data, sensitive=names) for names in (("single", "afam"), ("afam", "single")))
    assert one == other
    assert [feature.name for feature in one.spec.sensitive_features] == ["afam", "single"]


@pytest.mark.shared
def test_adult_joins_training_and_test_file(public_data):
    """The rows of adult.test follow those of adult.data, and "?" is a category."""
    data = load("adult", public_data)
    assert (data.rows[0]["fnlwgt"], data.rows[32_560]["fnlwgt"], data.rows[32_561]["fnlwgt"]) == (77516, 287927, 226802)
    assert sum(data.labels[:32_561]) == 7841
    assert sum("?" in row.values() for row in data.rows) == 2399 + 1221
    (work,) = [feature for feature in data.spec.features if feature.name == "workclass"]
    assert work.domain[0] == "?"
    assert list(work.domain) == sorted(work.domain)


@pytest.mark.shared
def test_decimals_are_kept_exactly(public_data):
    """Ratios with exponents become plain decimals, whole decimals become integers."""
    rows = load("hmda", public_data).rows
    assert rows[0]["pirat"] == "0.22100000381469725"
    assert any(row["hirat"] == "0.0008500000089406968" for row in rows)
    student = load("law_school", public_data).rows[0]
    assert (student["lsat"], student["ugpa"], student["male"]) == (44, "3.5", 0)


@pytest.mark.shared
def test_an_original_compas_file_is_the_same_edition(public_data, tmp_path):
    """Names, dates of birth and case numbers in the file change nothing: they are gone before anything looks."""
    table = TABLES["compas"]
    text = (public_data / "compas" / "compas-scores-two-years.csv").read_bytes().decode()
    records = list(csv.reader(io.StringIO(text, newline="")))
    hidden = [index for index, name in enumerate(records[0]) if name in table.identifying]
    assert len(hidden) == 7
    for record in records[1:]:
        for index in hidden:
            record[index] = 'DOE, "Ñ'
    original = tmp_path / "compas-scores-two-years.csv"
    with original.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(records)
    assert load("compas", tmp_path) == load("compas", public_data)
    assert b"DOE" not in without_identity(table, original.read_bytes(), "t")


def test_passengers_without_an_age_or_a_port_are_left_out(tmp_path):
    """A number that is missing makes no row of the titanic, and nothing is put in its place."""
    table = TABLES["titanic"]

    def change(records):
        age, port = (records[0].index(name) for name in ("Age", "Embarked"))
        records[1][age] = records[2][port] = ""

    data = load_table(table, write_table(tmp_path, table, change), any_edition=True)
    assert len(data.rows) == 28


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_form_reads_with_either_line_end(tmp_path, table):
    """Files in the declared form read where any edition will do, and CR LF means the same as LF."""
    data = load_table(table, write_table(tmp_path, table), any_edition=True)
    assert (len(data.rows), set(data.labels)) == (30 * len(table.files), {0, 1})
    write_table(tmp_path, table, ending="\r\n")
    assert load_table(table, tmp_path, any_edition=True) == data
    assert "secret" not in str(data)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_another_edition_is_refused(tmp_path, table):
    """A file that reads but is not the known edition is named, with the way out."""
    with pytest.raises(DataError, match=rf"^[^\n]*{re.escape(table.files[0].name)}: not the known edition of [^\n]*$"):
        load(table.name, write_table(tmp_path, table))


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_missing_file_says_where_it_was_sought_and_how_to_get_it(tmp_path, table):
    """Both places are named, and so is the command that fetches the file; without a folder, the option is."""
    last = table.files[-1].name
    (write_table(tmp_path, table) / last).unlink()
    with pytest.raises(DataError, match=rf"^name the folder of {re.escape(last)}, [^\n]*data fetch {table.name} "):
        load(table.name, tmp_path) if len(table.files) == 1 else load(table.name, tmp_path, any_edition=True)
    with pytest.raises(DataError, match=r"EQUIPROOF_DATA"):
        load(table.name)


def _last_row(table):
    """Return the number that the last row of the last file has in an editor."""
    return len(make_records(table, table.files[-1]))


def _refusal(table, folder, change):
    """Return the one line that refuses a changed file."""
    write_table(folder, table, change)
    with pytest.raises(DataError) as refused:
        load_table(table, folder, any_edition=True)
    message = str(refused.value)
    assert "\n" not in message
    assert message.startswith(f"{folder / table.files[-1].name}, row ")
    assert "secret" not in message
    return message


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_line_of_another_length_is_named(tmp_path, table):
    """Too few and too many values are refused before any of them is looked at."""
    row = _last_row(table)
    short = _refusal(table, tmp_path, lambda records: records[-1].pop())
    long = _refusal(table, tmp_path, lambda records: records[-1].append("secret"))
    width = len(make_records(table, table.files[-1])[-1])
    assert f"row {row}: {width - 1} values; want " in short
    assert f"row {row}: {width + 1} values; want " in long


def _kinds():
    """Return each table with each kind of column that it has, and the place of the last one of the kind."""
    for table in TABLES.values():
        kinds = [column.kind for column in table.columns] + ["label"]
        for kind in sorted(set(kinds)):
            position = len(kinds) - 1 - kinds[::-1].index(kind)
            yield pytest.param(table, position, id=f"{table.name}-{kind}")


@pytest.mark.parametrize(("table", "position"), list(_kinds()))
def test_a_bad_cell_is_named_by_row_and_column(tmp_path, table, position):
    """The refusal names row, column and what would do; of a file about identified people it shows no cell."""
    names = (*table.features, table.label.name)
    at = position - len(names)
    # Where the codes are whatever the files hold, only an empty cell is none.
    named = position < len(table.columns) and table.columns[position].kind == "category"
    bad = "" if named and not table.columns[position].codes else "12x"

    def change(records):
        records[-1][at] = bad

    message = _refusal(table, tmp_path, change)
    column = len(make_records(table, table.files[-1])[-1]) + at + 1
    shown = "the value" if table.identifying else repr(bad)
    assert f"row {_last_row(table)}, column {column} ({names[position]}): {shown} is " in message


@pytest.mark.parametrize(
    "table", [table for table in TABLES.values() if table.form.header], ids=lambda table: table.name
)
def test_a_header_without_a_column_is_refused(tmp_path, table):
    """A renamed column and an empty file are named by the header's own line."""

    def rename(records):
        records[table.form.header - 1][-1] = "other"

    wanted = f"row {table.form.header}: the header names no column "
    assert wanted + table.label.name in _refusal(table, tmp_path, rename)
    assert wanted in _refusal(table, tmp_path, lambda records: records.clear())


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("adult", b"39, \xc4", "row 1: not plain text"),
        ("hmda", b'"a\nb",c\n', "row 1: a value holds a line break"),
        ("hmda", b'a,b\n"c" d,e\n', "row 2: not a line of separated values"),
        ("law_school", b"\n\na,b\n", "row 1: the header names no column decile1b"),
        ("bank_full", b"a;b\n\n1;2\n", "row 1: the header names no column age"),
    ],
)
def test_text_that_is_no_table_is_refused(tmp_path, name, data, message):
    """Bytes that are no text, torn quotes and blank lines in the middle give one line each."""
    table = TABLES[name]
    (tmp_path / table.files[0].name).write_bytes(data)
    with pytest.raises(DataError, match=rf"^[^\n]*{re.escape(table.files[0].name)}, {re.escape(message)}[^\n]*$"):
        load(name, tmp_path)


def test_a_huge_file_is_not_read(tmp_path):
    """A file far beyond every known one is refused by its size alone."""
    with (tmp_path / "german.data").open("wb") as stream:
        stream.truncate(65 << 20)
    with pytest.raises(DataError, match=r"german\.data: more than 64 MiB"):
        load("german", tmp_path)


@pytest.mark.parametrize(
    ("sensitive", "message"),
    [
        ((), "german: no sensitive feature is named; there are checking_status"),
        (("age", "age"), "german: a sensitive feature is named twice in age, age"),
        (("race",), "german: no feature is called 'race'; there are checking_status"),
    ],
)
def test_a_choice_of_sensitive_features_that_means_nothing_is_refused(tmp_path, sensitive, message):
    """Nothing, the same twice and unknown names are refused before a file is opened."""
    with pytest.raises(DataError, match=message):
        load("german", tmp_path, sensitive=sensitive)


def test_lending_takes_the_same_options():
    """Any feature of the generated data may be sensitive, citizenship by name, and education one-hot."""
    data = load("lending", sensitive=("sex", "citizenship"), encoding="one-hot")
    citizens = ("domestic", "foreign")
    assert data.spec.domain_values == tuple((sex, citizen) for sex in ("female", "male") for citizen in citizens)
    assert data.spec.plain_columns == load("lending").spec.plain_columns + 4
    by_age = load("lending", sensitive=("age",)).spec
    assert by_age.domain_values[0] == ("18",)
    assert "sex" in [feature.name for feature in by_age.plain_features]
    with pytest.raises(DataError, match="lending: no feature is called 'race'; there are age"):
        load("lending", sensitive=("race",))


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({"days_b_screening_arrest": "30"}, True),
        ({"days_b_screening_arrest": "-30"}, True),
        ({"days_b_screening_arrest": "31"}, False),
        ({"days_b_screening_arrest": "-31"}, False),
        ({"days_b_screening_arrest": ""}, False),
        ({"is_recid": "-1"}, False),
        ({"c_charge_degree": "O"}, False),
        ({"score_text": "N/A"}, False),
    ],
)
def test_propublicas_filter(change, kept):
    """Each of the four conditions of ProPublica's analysis drops a row by itself."""
    cells = {"days_b_screening_arrest": "0", "is_recid": "0", "c_charge_degree": "F", "score_text": "Low"}
    keep = TABLES["compas_filtered"].keep
    assert keep is not None
    assert keep({**cells, **change}) is kept


def test_an_edition_does_not_depend_on_line_ends_or_identities():
    """The digest that identifies an edition is computed after both are removed."""
    plain, table = b"name,sex\nx,Male\n", TABLES["compas"]
    assert edition(table, plain, "t") == edition(table, b"name,sex\r\ny,Male\r\n", "t")
    assert edition(table, plain, "t") != edition(table, b"name,sex\nx,Female\n", "t")
    assert edition(TABLES["german"], b"a b\r\n", "t") == edition(TABLES["german"], b"a b\n", "t")


CODES = {
    "adult": {"capital-gain": {99999}},
    "bank_full": {"pdays": {-1}},
    "german": {},
    "hmda": {},
}
"""The numbers of public data sets that stand for something else than a number."""


@pytest.mark.parametrize("name", CODES)
def test_codes_for_missing_values_are_suspected_where_there_are_some(name, public_data):
    """The rule of drafts names them and no other number."""
    data = load(name, public_data)
    named = {}
    for feature in data.spec.features:
        if feature.kind == "numeric" and (codes := suspects([row[feature.name] for row in data.rows])) is not None:
            named[feature.name] = set(codes.rows)
    assert named == CODES[name]
