"""People who do not state everything, on the command line: searched, decided with a receipt, proven and verified."""

import json
import re

import pytest

from equiproof.circuits.shape import ensemble_shape
from equiproof.prover.opening import Opening
from tests.prover.test_missing import lacking, people
from tests.support import LACKING, copied_key

MODEL = lacking(3)


@pytest.fixture
def owned(tmp_path):
    """The options of a model of trees that lets every detail be missing, and of its key."""
    opening = Opening.of(MODEL, LACKING, 7)
    (tmp_path / "opening.json").write_bytes(opening.secret())
    (tmp_path / "commitment.json").write_bytes(opening.public())
    sizes = (MODEL.predicates, MODEL.nodes.sizes, MODEL.predicates[0], MODEL.nodes.sizes[1])
    copied_key(tmp_path / "keys", ensemble_shape(LACKING, *sizes, 4))
    return ["--opening", tmp_path / "opening.json"], ["--keys", tmp_path / "keys"]


def test_a_search_says_what_is_not_stated(cli, owned, tmp_path):
    """In the place of how far it may move."""
    opening, _ = owned
    row = next(row for row in people() if row["income"] is None and row["housing"] is not None)
    (tmp_path / "row.json").write_text(json.dumps([row]))
    said = cli("certify", tmp_path / "row.json", *opening)
    assert said.code == 0, said.err
    assert re.search("income +not stated, and only as long as it is not", said.out)
    assert not re.search("housing +not stated", said.out)


def test_a_receipt_s_query_is_proven(cli, owned, tmp_path):
    """The query file leaves out what is missing, and `prove` takes it in a row's place."""
    opening, keys = owned
    row = next(row for row in people() if list(row.values()).count(None) == 1)
    (tmp_path / "row.json").write_text(json.dumps([row]))
    made = cli("receipt", "new", tmp_path / "row.json", *opening, "--out-dir", tmp_path / "receipts")
    assert made.code == 0, made.err
    folder = tmp_path / "receipts" / "applicants" / "1"
    stated = json.loads((folder / "query.json").read_text())["features"]
    assert set(stated) == {name for name, value in row.items() if value is not None}
    own = ["--receipt", folder / "receipt.json", "--context", folder / "context.json"]
    out = tmp_path / "certificate.json"
    proven = cli("prove", folder / "query.json", *opening, *keys, *own, "--out", out)
    assert proven.code == 0, proven.err
    words = ["--commitment", tmp_path / "commitment.json", *keys, "--query", folder / "query.json"]
    assert cli("verify", out, *words).code == 0
