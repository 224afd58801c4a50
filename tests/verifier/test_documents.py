"""Limits of what documents hold, at the limit and one beyond."""

import json

import msgspec
import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier import CertificateFormatError
from equiproof.verifier.documents import check_shape, parse_key
from tests.support import ROOT

DATA = (ROOT / "tests" / "golden" / "loans" / "keys" / "key" / "key.json").read_bytes()


@pytest.mark.parametrize(("number", "right"), [(0, False), (1, True), (64, True), (65, False)])
def test_a_network_has_64_layers_at_most(number, right):
    """More are refused, whatever their sizes."""
    shape = parse_key(DATA, "key").shape
    architecture = msgspec.structs.replace(shape.architecture, hidden=(1,) * number)
    with pytest.raises(CertificateFormatError) as caught:  # the other fields fit no such network
        check_shape(msgspec.structs.replace(shape, architecture=architecture), "key")
    assert (f"{number} layers, want 1 to 64" in str(caught.value)) != right


@pytest.mark.parametrize(
    ("tools", "right"),
    [
        ({"a": ""}, True),
        ({"a" * 64: "1" * 128}, True),
        ({"": "1"}, False),
        ({"a" * 65: "1"}, False),
        ({"a": "1" * 129}, False),
        ({str(at): "1" for at in range(16)}, True),
        ({str(at): "1" for at in range(17)}, False),
    ],
)
def test_versions_of_software_are_short(tools, right):
    """They are no place for text of somebody else's."""
    data = canonical_bytes(json.loads(DATA) | {"tools": tools})
    if right:
        assert parse_key(data, "key").tools == tools
    else:
        with pytest.raises(CertificateFormatError, match="key"):
            parse_key(data, "key")
