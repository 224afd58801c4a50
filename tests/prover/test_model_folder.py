"""The folder of an imported model, written from Python."""

import json

import numpy as np
import pytest

from equiproof import import_model
from equiproof.certify.models.network import Network
from equiproof.certify.models.quantise import quantise
from equiproof.circuits.files import FileExistsRefusedError
from equiproof.circuits.spec import parse_spec
from equiproof.prover.model_folder import IMPORT_FILE, NETWORK_FILE, SPEC_FILE
from tests.certify.models.importing.samples import COLUMNS, SIZES, SPEC, weights
from tests.cli.world import listing


@pytest.fixture
def imported(tmp_path):
    """A small imported model."""
    np.savez(tmp_path / "mine.npz", **weights(SIZES))
    return import_model(tmp_path / "mine.npz", SPEC, units="raw", columns=COLUMNS, weight_bits=(26, 26))


def test_a_folder_reads_back_as_the_model_that_was_imported(tmp_path, imported):
    """Network and spec of the folder give the integers of the import; the report names where they come from."""
    imported.write(tmp_path / "m")
    spec = parse_spec((tmp_path / "m" / SPEC_FILE).read_bytes(), SPEC_FILE)
    assert spec == imported.spec
    assert quantise(Network.load(tmp_path / "m" / NETWORK_FILE), spec) == imported.quantised
    report = json.loads((tmp_path / "m" / IMPORT_FILE).read_bytes())
    assert (report["source"], report["columns"], report["measured_on"]) == ("mine.npz", list(COLUMNS), None)


def test_a_folder_is_overwritten_only_when_asked(tmp_path, imported):
    """A second import is refused without `force` and leaves the folder as it is; a trained model always stays."""
    imported.write(tmp_path / "m")
    before = listing(tmp_path / "m")
    with pytest.raises(FileExistsRefusedError, match=NETWORK_FILE):
        imported.write(tmp_path / "m")
    assert listing(tmp_path / "m") == before
    imported.write(tmp_path / "m", force=True)
    (tmp_path / "m" / "training.json").write_text("{}")
    before = listing(tmp_path / "m")
    with pytest.raises(FileExistsRefusedError, match=r"training\.json"):
        imported.write(tmp_path / "m", force=True)
    assert listing(tmp_path / "m") == before
