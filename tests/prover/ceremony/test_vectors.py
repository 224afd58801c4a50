"""Vectors of transcripts: each is accepted, refused for its reason, or malformed, in Python and on the command line."""

import pytest

from equiproof.cli.main import run
from equiproof.prover.ceremony.chain import check_folder
from equiproof.prover.ceremony.errors import TranscriptError
from equiproof.prover.ceremony.folder import CeremonyFolder
from equiproof.verifier.errors import CertificateFormatError
from tests.vectors.vector import FOLDER, paths, read

PATHS = [path for path in paths() if path.stem.startswith("transcript-")]
VECTORS = {path.relative_to(FOLDER).with_suffix("").as_posix(): read(path) for path in PATHS}
CODES = {"accept": 0, "reject": 1, "malformed": 2}


def test_every_verdict_has_vectors():
    """None of the folders is without a transcript, and files stay small."""
    assert {vector.verdict for vector in VECTORS.values()} == set(CODES)
    assert max(path.stat().st_size for path in PATHS) < 12_000


@pytest.mark.parametrize("name", VECTORS)
def test_the_chain_says_what_the_vector_says(name, tmp_path, capsys):
    """The check raises what the file names, for its reason, about its file; the command ends with its code."""
    vector = VECTORS[name]
    vector.write(tmp_path)
    assert run(["ceremony", "verify", str(tmp_path)]) == CODES[vector.verdict]
    assert len(capsys.readouterr().err.splitlines()) == (vector.verdict != "accept")
    if vector.verdict == "accept":
        check_folder(CeremonyFolder.open(tmp_path))
        return
    with pytest.raises((TranscriptError, CertificateFormatError)) as caught:
        check_folder(CeremonyFolder.open(tmp_path))
    assert (type(caught.value).__name__, caught.value.reason) == (vector.exception, vector.reason)
    assert str(caught.value).startswith(f"{tmp_path / vector.file}: ")
