"""Padded specs: the TypeScript verifier accepts the same sizes as Python, and fills the same columns with zeros."""

import json

import msgspec
import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.commitment import query_commitment
from equiproof.circuits.field import to_hex
from equiproof.circuits.shape import branch_shape
from equiproof.circuits.spec import checked
from equiproof.verifier import CertificateFormatError, parse_commitment
from equiproof.verifier.documents import QueryDocument
from tests.support import KEPT, LOANS, ROOT, changed
from tests.web.test_agreement import expected, written

COMMITMENT = json.loads((ROOT / "tests" / "golden" / "loans" / "commitment.json").read_bytes())
OWN = LOANS.own_columns
SIZES = [OWN - 1, OWN, OWN + 1, 4096, 4097, 0, -1, 1 << 40, None, "5", 4.5, True]


def wide(columns, **fields):
    """Return the fields of a spec whose plain features have so many columns."""
    spec = COMMITMENT["spec"]
    values = [f"v{number}" for number in range(columns)]
    one = {"name": "job", "kind": "categorical", "encoding": "one-hot", "sensitive": False, "domain": values}
    sensitive = [feature for feature in spec["features"] if feature["sensitive"]]
    return spec | {"features": [one | {"mean": "0", "scale": "1", "unit": "", "range": None}, *sensitive]} | fields


SPECS = [
    *(COMMITMENT["spec"] | {"pad_to": size} for size in SIZES),
    *(wide(columns) for columns in (4095, 4096, 4097)),
    *(wide(columns, pad_to=4096) for columns in (4095, 4096)),
    wide(4097, pad_to=4098),
]


@pytest.mark.parametrize("spec", SPECS, ids=range(len(SPECS)))
def test_sizes(package, spec):
    """A padding adds at least a column, up to 4096 of all; a spec without one may have more."""
    data = canonical_bytes(COMMITMENT | {"spec": spec})
    try:
        parse_commitment(data, "commitment")
        wanted = None
    except CertificateFormatError as error:
        wanted = str(error.reason)
    assert package.ask("read", kind="parseCommitment", data=data.hex()).get("reason") == wanted


def test_columns_of_the_padding(package):
    """They are zeros behind the applicant's columns; the radius is that of the spec's own columns, words and all."""
    spec = checked(changed(KEPT, pad_to=KEPT.own_columns + 30))
    row = {one.name: one.domain[0] if one.domain else one.mean for one in spec.plain_features}
    query = QueryDocument("equiproof-query", 2, row, to_hex(7))
    found = package.call("facts", written(spec), 0, "1000000", canonical_bytes(query).decode())
    assert found == expected(spec, 0, 1000000, query)
    own = KEPT.encode(query.features)
    assert found["query_commitment"] == to_hex(query_commitment(spec.input_bits, 7, [*own, *[0] * 30]))
    bare = package.call("facts", written(KEPT), 0, "1000000", canonical_bytes(query).decode())
    assert found["reading"] == bare["reading"]
    assert found["domain_digest"] != bare["domain_digest"]


def test_shapes_of_padded_models(package):
    """The key's n_x is that of the padding; a key of the model's own columns does not fit, nor the reverse."""
    bare, padded = LOANS, checked(changed(LOANS, pad_to=OWN + 30))
    for spec in (bare, padded):
        for of in (bare, padded):
            shape = json.dumps(msgspec.to_builtins(branch_shape(of, (4, 4), 64)))
            assert package.call("fitting", written(spec), shape) is (spec is of)
