"""Networks in .npz files."""

import io
import zipfile

import numpy as np
import pytest

from equiproof import import_model
from equiproof.certify.models.importing import ModelImportError, read_model
from equiproof.certify.models.importing.chain import layers_of
from equiproof.certify.models.importing.npz import from_arrays, read_npz
from tests.certify.models.importing.samples import COLUMNS, SIZES, SPEC, forward, raw_rows, run, spec_columns, weights


def archive(**arrays):
    """Return the bytes of an .npz file."""
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int8, np.int64])
def test_every_type_of_real_numbers_is_taken_exactly(kind):
    """A layer is x @ W + b with the very numbers of the file, halves and integers among them."""
    arrays = {name: (array * 8).astype(kind) for name, array in weights((3, 2, 2)).items()}
    rows = np.array([[1.0, -2.0, 3.0], [0.5, 0.25, -4.0]])
    assert run(read_npz(archive(**arrays)), rows).tolist() == forward(arrays, rows).tolist()


def test_lists_are_arrays():
    """A mapping may hold lists of numbers, and names in a tuple."""
    lists = {name: array.tolist() for name, array in weights((3, 2, 1)).items()}
    source = from_arrays({**lists, "columns": ("a", "b", "c")})
    rows = np.array([[1.0, -2.0, 3.0]])
    assert source.columns == ("a", "b", "c")
    assert run(source, rows).tolist() == forward(weights((3, 2, 1)), rows).tolist()


def test_a_path_gives_the_network_its_digest_and_its_name(tmp_path):
    """What is imported from a file says which file it was."""
    path = tmp_path / "net.npz"
    path.write_bytes(archive(**weights(SIZES)))
    source = read_model(path)
    assert (source.name, len(source.sha256)) == (str(path), 64)
    imported = import_model(str(path), SPEC, units="raw", columns=COLUMNS)
    assert imported.bound.sha256 == source.sha256
    raw = raw_rows(5)
    np.testing.assert_allclose(imported.network.logits(spec_columns(raw)), forward(weights(SIZES), raw), rtol=1e-9)


GOOD = weights((3, 2, 1))
REFUSED = {
    "no arrays": ({}, "there are: none"),
    "a bias missing": ({name: GOOD[name] for name in ("W0", "b0", "W1")}, "b0, W1"),
    "a layer left out": ({"W0": GOOD["W0"], "b0": GOOD["b0"], "W2": GOOD["W1"], "b2": GOOD["b1"]}, "W2"),
    "one array more": (GOOD | {"extra": np.zeros(1)}, "extra"),
    "weights the other way round": (GOOD | {"W0": GOOD["W0"].T}, r"array W0.*\(inputs, outputs\)"),
    "layers that do not fit": (GOOD | {"W1": np.zeros((3, 1))}, "W1: takes 3 values, W0 gives 2"),
    "one dimension": (GOOD | {"W0": np.zeros(3)}, "array W0"),
    "no rows": (GOOD | {"W0": np.zeros((0, 2))}, "array W0"),
    "NaN": (GOOD | {"W0": GOOD["W0"] * np.nan}, "W0: a number is not finite"),
    "infinity": (GOOD | {"b1": GOOD["b1"] * np.inf}, "W1: a number is not finite"),
    "complex": (GOOD | {"W0": GOOD["W0"] + 1j}, "complex"),
    "long doubles": (GOOD | {"W0": GOOD["W0"].astype(np.longdouble)}, "array W0"),
    "truth values": (GOOD | {"W0": GOOD["W0"] > 0}, "bool"),
    "text": (GOOD | {"W0": np.array([["a"]])}, "array W0"),
    "columns that are numbers": (GOOD | {"columns": np.arange(3)}, "columns"),
    "lists of several lengths": (GOOD | {"W0": [[1.0, 2.0], [3.0]]}, "array W0: want rows of one length"),
    "whole numbers of any size": (GOOD | {"W0": [[10**30, 1]] * 3}, "array W0"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_arrays_that_are_no_network_are_refused_by_name(kind):
    """Whatever is wrong with the arrays, the line names one of them."""
    arrays, named = REFUSED[kind]
    with pytest.raises(ModelImportError, match=named):
        layers_of(from_arrays(arrays).steps, 3)


def claimed(count):
    """Return the bytes of an .npz file with arrays that claim more numbers than they have."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (count,)})
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name in ("W0", "b0", "W1", "b1"):
            file.writestr(f"{name}.npy", header.getvalue() + b"\x00" * 8)
    return stream.getvalue()


def bomb():
    """Return a small .npz file that unpacks to a quarter of a gigabyte."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("W0.npy", bytes(1 << 28))
    return stream.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        b"", b"hello", b"PK\x03\x04", b"\x80\x04K\x01.", archive(**GOOD)[:300], claimed(1 << 44),
        archive(**GOOD | {"W0": np.array([[{}]], dtype=object)}),
    ],
    ids=["empty", "text", "zip", "pickle", "truncated", "claims too much", "objects"],
)  # fmt: skip
def test_bytes_that_are_no_arrays_are_refused(data):
    """Hostile bytes are refused, and never unpickled."""
    with pytest.raises(ModelImportError):
        read_npz(data)


def test_a_small_file_that_unpacks_to_much_is_refused():
    """Of what it unpacks to, no more is read than arrays may have."""
    with pytest.raises(ModelImportError):
        read_npz(bomb())


@pytest.mark.parametrize("suffix", [".pt", ".PTH", ".pkl", ".joblib", ".pkl.gz", ".joblib.z", ".cloudpickle"])
def test_files_that_run_code_are_refused_unread(tmp_path, suffix):
    """A file that would run code is refused by its name alone, saying how to go on."""
    with pytest.raises(ModelImportError, match=r"import_model.*runs the code in it"):
        read_model(tmp_path / f"missing{suffix}")


def test_skops_runs_no_code(tmp_path):
    """What is not read for another reason is refused for that one."""
    with pytest.raises(ModelImportError, match=r"skops\.io\.load") as refused:
        read_model(tmp_path / "missing.skops")
    assert "runs the code" not in str(refused.value)


def test_other_files_are_refused(tmp_path):
    """A file of another kind is refused by its name, with what to export it as."""
    with pytest.raises(ModelImportError, match=r"export it as \.onnx with tf2onnx"):
        read_model(tmp_path / "model.h5")


def test_other_objects_are_refused_by_the_name_of_their_class():
    """An object of no known library is refused by name."""
    with pytest.raises(ModelImportError, match="set"):
        read_model({1, 2})
