"""With the base requirements alone, without cffi, numpy and the native library, certificates verify all the same."""

import json
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.pins import FOLDER
from tests.support import ROOT

GOLDEN = FOLDER / "loans"
ROOMS = ("circuits", "equiproof", "ffi", "verifier")

# What the base installation has is what this interpreter sees: its own library, and one folder.
RUN = """
import sys
sys.path[:] = [path for path in sys.path if "site-packages" not in path and "dist-packages" not in path]
sys.path.insert(0, sys.argv.pop(1))
from equiproof.cli import main
try:
    main()
finally:
    loaded = {name.partition(".")[0] for name in sys.modules}
    print(sorted(loaded & {"_cffi_backend", "certify", "cffi", "numpy", "prover", "torch"}), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """A folder with the packages of requirements/base.txt and the rooms that verify, with nothing native of ours."""
    folder = tmp_path_factory.mktemp("base")
    for line in (ROOT / "requirements" / "base.txt").read_text().splitlines():
        if "==" in line:
            link(folder, line.partition("==")[0])
    for room in ROOMS:
        (folder / room).mkdir()
        for path in (ROOT / room).iterdir():
            if path.suffix != ".so" and path.name != "__pycache__":
                (folder / room / path.name).symlink_to(path)
    return folder


def link(folder, name):
    """Link the files of an installed package into a folder."""
    package = distribution(name)
    tops = {file.parts[0] for file in package.files or () if file.parts[0] not in ("..", "__pycache__")}
    assert tops, name
    for top in tops:
        place = folder / top
        if not place.exists():
            place.symlink_to(Path(str(package.locate_file(top))))


def verify(installation, *more, certificate=GOLDEN / "certificate.json"):
    """Run `equiproof verify` with nothing but the base installation."""
    words = ["verify", certificate, "--commitment", GOLDEN / "commitment.json", "--keys", GOLDEN / "keys", *more]
    program = [sys.executable, "-I", "-S", "-c", RUN, str(installation)]
    return subprocess.run([*program, *map(str, words)], capture_output=True, text=True, timeout=120, check=False)


def test_the_command_verifies_in_plain_python(installation):
    """A certificate is verified, the result names the program, and nothing of the owner's side was loaded."""
    done = verify(installation, "--query", GOLDEN / "query.json", "--json")
    assert (done.returncode, done.stderr) == (0, "[]\n")
    document = json.loads(done.stdout)
    assert (document["verdict"], document["checker"]) == ("verified", "python")


def test_the_command_refuses_in_plain_python(installation, tmp_path):
    """A certificate with another context digest is refused there with the exit code of a refusal."""
    document = (GOLDEN / "certificate.json").read_text()
    digest = json.loads(document)["statement"]["context_digest"]
    forged = tmp_path / "certificate.json"
    forged.write_text(document.replace(digest, digest[:-1] + ("0" if digest[-1] != "0" else "1")))
    done = verify(installation, certificate=forged)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[0] == "refused: the proof does not hold: the pairings differ"


def test_a_library_that_was_asked_for_is_missed_in_one_line(installation):
    """Asked for the native check, the command says what is missing, with the exit code of misuse."""
    done = verify(installation, "--checker", "native")
    assert (done.returncode, done.stdout) == (2, "")
    first, *_ = done.stderr.splitlines()
    assert first.startswith("equiproof: the native library is not built: run `make build`")
