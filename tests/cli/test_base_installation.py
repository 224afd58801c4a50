"""With the base requirements alone, without numpy and the native library, certificates verify all the same."""

import json
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from equiproof.certify.data.catalogue import NAMES
from equiproof.cli import failures
from tests.cli.forked import forked
from tests.pins import FOLDER
from tests.register.log_folder import LogFolder
from tests.register.samples import LOG, commitment
from tests.support import ROOT

GOLDEN = FOLDER / "loans"
ROOMS = ("circuits", "cli", "ffi", "register", "verifier")

# What the base installation has is what this interpreter sees: its own library, and one folder.
RUN = """
import sys
sys.path[:] = [path for path in sys.path if "site-packages" not in path and "dist-packages" not in path]
sys.path.insert(0, sys.argv.pop(1))
from equiproof.cli.main import main
try:
    main()
finally:
    owners = {"_cffi_backend", "cffi", "cryptography", "equiproof.certify", "equiproof.prover", "numpy", "torch"}
    print(sorted(owners & set(sys.modules)), file=sys.stderr)
"""

# The same interpreter with the whole program, entered as `python -m equiproof`.
WHOLE = """
import runpy, sys
sys.path[:] = [path for path in sys.path if "site-packages" not in path and "dist-packages" not in path]
sys.path.insert(0, sys.argv.pop(1))
runpy.run_module("equiproof", run_name="__main__")
"""

OWNERS = {
    "train": ["--out", "x"],
    "import": ["x.npz", "--spec", "x.json", "--out", "x"],
    "inspect": ["x"],
    "commit": ["x", "--out", "y"],
    "predict": ["x", "x.json"],
    "demo": ["--out", "x"],
    "data": ["describe", "lending"],
}
"""Commands that need numpy, with words that none of them gets to read."""

AUDITS = {
    "audit list": ["audit", "list"],
    "audit info": ["audit", "info", "prof"],
    "audit run": ["audit", "run", "all", "--opening", "x"],
    "audit report": ["audit", "report", "x", "--html", "y"],
    "audit compare": ["audit", "compare", "x", "y"],
    "audit pack": ["audit", "pack", "x", "--commitment", "y", "--out", "z"],
    "mitigate": ["mitigate", "--opening", "x", "--out", "y"],
    "repair": ["repair", GOLDEN / "query.json", "--opening", "x", "--out", "x"],
}
"""Commands that need the extra `audit`, with words that are read up to the first package that is missed."""

NATIVE = {
    "setup": ["--commitment", GOLDEN / "commitment.json", "--hidden", "3", "--keys", "x"],
    "circuit": ["list"],
}
"""Commands that need the native library, and numpy no more than a verification does."""


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    """A folder with the packages of requirements/base.txt and the rooms that verify, with nothing native of ours."""
    folder = tmp_path_factory.mktemp("base")
    for line in (ROOT / "requirements" / "base.txt").read_text().splitlines():
        if "==" in line:
            link(folder, line.partition("==")[0])
    install(folder, ROOMS)
    return folder


@pytest.fixture(scope="module")
def whole(installation, tmp_path_factory):
    """A folder with the base packages and every room, with nothing native of ours."""
    folder = tmp_path_factory.mktemp("whole")
    for path in installation.iterdir():
        if path.name != "equiproof":
            (folder / path.name).symlink_to(path)
    install(folder, (*ROOMS, "audits", "certify", "prover"))
    describe(folder)
    return folder


@pytest.fixture(scope="module")
def checkout(whole, tmp_path_factory):
    """The same with the folder of pinned requirements beside the package, as a checkout has it."""
    folder = tmp_path_factory.mktemp("checkout")
    for path in (*whole.iterdir(), ROOT / "requirements"):
        (folder / path.name).symlink_to(path)
    return folder


@pytest.fixture(scope="module")
def ended(whole):
    """How each command that lacks something ended, by its name."""
    commands = {name: [name, *words] for name, words in (OWNERS | NATIVE).items()} | AUDITS
    return dict(zip(commands, forked(commands.values(), only=whole), strict=True))


def install(folder, rooms):
    """Link the package with some of its rooms, and nothing native, into a folder."""
    for room in rooms:
        inside = folder / "equiproof" / room
        inside.mkdir(parents=True)
        for path in (ROOT / "equiproof" / room).iterdir():
            if path.suffix != ".so" and path.name != "__pycache__":
                (inside / path.name).symlink_to(path)
    for path in (ROOT / "equiproof").glob("*.py"):
        (folder / "equiproof" / path.name).symlink_to(path)


def describe(folder):
    """Write the metadata of the package into a folder, as installing it does."""
    metadata = folder / "equiproof-0.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(distribution("equiproof").read_text("METADATA"))


def enter(folder, *words):
    """Run `python -m equiproof` with nothing but the packages of a folder."""
    program = [sys.executable, "-I", "-S", "-c", WHOLE, str(folder)]
    return subprocess.run([*program, *map(str, words)], capture_output=True, text=True, timeout=120, check=False)


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
    return based(installation, *words)


def based(installation, *words):
    """Run a command with nothing but the base installation."""
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
    line = done.stderr.splitlines()[0]
    assert line.startswith("refused: This certificate is not valid. Its proof does not match what it says. ")
    assert line.endswith("Technical reason: the proof does not hold: the pairings differ")


def test_without_the_extra_of_time_stamps_its_name_is_said(whole):
    """Checking a stamp misses one package, in one line; all else of packages and exports does without it."""
    words = ["stamp", "check", GOLDEN / "certificate.json", "--stamp", "x", "--authority", "y"]
    (done,) = forked([words], only=whole)
    assert done.complaint(2).startswith(
        "equiproof: rfc3161_client is not installed: this command needs the packages of"
    )
    assert "equiproof[stamps]" in done.err


def test_a_public_log_is_followed(installation, tmp_path):
    """Whoever follows a log needs the base installation alone: none of the owner's packages, and nothing native."""
    log = LogFolder(tmp_path / "log", LOG)
    log.append(commitment("North", 1))
    look = ("log", "monitor", log.root, "--state", tmp_path / "state", "--log-key", LOG.verifier.text, "--once")
    done = based(installation, *look)
    # cryptography brings the one that it needs of cffi.
    assert (done.returncode, done.stderr) == (0, "['_cffi_backend', 'cryptography']\n")
    assert done.stdout.startswith("entry 0: new commitment of North")
    out = ("--out", tmp_path / "x.tlog-proof", "--index", 0)
    (tmp_path / "entry").write_bytes(commitment("North", 1))
    assert based(installation, "log", "proof", log.root, tmp_path / "entry", *look[-3:-1], *out).returncode == 0


def test_a_library_that_was_asked_for_is_missed_in_one_line(installation):
    """Asked for the native check, the command says what to install, with the exit code of misuse."""
    done = verify(installation, "--checker", "native")
    assert (done.returncode, done.stdout) == (2, "")
    first, *_ = done.stderr.splitlines()
    assert first.startswith("equiproof: the native library is not installed: pip install 'equiproof[native]'")
    assert first.endswith(", or leave out --checker to check the proof in plain Python")


@pytest.mark.parametrize("command", OWNERS)
def test_a_command_of_the_owner_says_which_packages_it_needs(ended, command):
    """Without numpy, a command that needs it says so in one line with the extra that has it, and exits 2."""
    done = ended[command]
    assert (done.code, done.out) == (2, ""), done.err
    assert done.err == (
        "equiproof: numpy is not installed: this command needs the packages of equiproof[prove]; "
        "pip install 'equiproof[prove]'\n"
    )


@pytest.mark.parametrize("command", AUDITS)
def test_a_command_of_audits_names_their_extra(ended, command):
    """Whichever package is missed first, the one line names the extra that has everything for audits, and exits 2."""
    done = ended[command]
    assert (done.code, done.out) == (2, ""), done.err
    missing, _, said = done.err.partition(" is not installed")
    assert missing.removeprefix("equiproof: ") in ("jinja2", "numpy")
    assert said == ": this command needs the packages of equiproof[audit]; pip install 'equiproof[audit]'\n"


def test_in_a_checkout_the_requirements_of_audits_are_named(checkout):
    """Where the folder of requirements is there, the line names the file of the extra."""
    done = enter(checkout, *AUDITS["audit list"])
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr == (
        "equiproof: numpy is not installed: this command needs the packages of requirements/audit.txt; "
        "pip install --no-deps -r requirements/audit.txt -r requirements/gpu.txt\n"
    )


def test_in_a_checkout_the_pinned_requirements_are_named(checkout):
    """Where the folder of requirements is there, the line names its file instead of the extra."""
    done = enter(checkout, "predict", *OWNERS["predict"])
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr == (
        "equiproof: numpy is not installed: this command needs the packages of requirements/prove.txt; "
        "pip install -r requirements/prove.txt\n"
    )


@pytest.mark.parametrize(
    ("module", "extra"),
    [
        ("typer", ""), ("py_ecc", ""), ("_cffi_backend", "prove"), ("daqp", "prove"), ("sklearn", "train"),
        ("torch", "train"), ("highspy", "recourse"), ("pgmpy", "audit"), ("galois", "dev"),
        ("rfc3161_client", "stamps"), ("no_such_package", None),
    ],
)  # fmt: skip
def test_the_extra_of_a_package_is_read_from_the_metadata(module, extra):
    """A module belongs to the extra that requires its distribution, however that one is spelled."""
    assert failures.extra_of(module) == extra


def test_data_sets_are_listed_and_fetched_without_numpy(whole, tmp_path):
    """Data sets are listed with the base packages; fetching one ends at the address, here one that nobody serves."""
    nobody = ["--to", tmp_path, "--base-url", "http://127.0.0.1:9"]
    listed, fetched = forked([["data", "list", "--json"], ["data", "fetch", "german", *nobody]], only=whole)
    assert (listed.code, listed.err) == (0, "")
    assert {entry["name"] for entry in listed.document["datasets"]} == set(NAMES)
    assert fetched.complaint(2).startswith("equiproof: http://127.0.0.1:9/")


@pytest.mark.parametrize("command", NATIVE)
def test_a_command_without_the_native_library_says_so(ended, command):
    """A command that compiles circuits and searches nothing misses the library alone, in one line."""
    done = ended[command]
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err == "equiproof: the native library is not installed: pip install 'equiproof[native]'\n"


def test_the_module_verifies_as_the_command_does(whole):
    """`python -m equiproof` verifies with the base installation."""
    words = ["verify", GOLDEN / "certificate.json", "--commitment", GOLDEN / "commitment.json"]
    done = enter(whole, *words, "--keys", GOLDEN / "keys", "--json")
    assert (done.returncode, done.stderr, json.loads(done.stdout)["verdict"]) == (0, "", "verified")


def test_contracts_and_calls_are_made_without_the_native_library(whole, tmp_path):
    """The contract of a key, and the call that it takes of a certificate, need the base packages alone."""
    words = (["keys", "solidity", GOLDEN / "keys" / "key"], ["export", "calldata", GOLDEN / "certificate.json"])
    for done in forked(([*some, "--out", tmp_path / some[0]] for some in words), only=whole):
        assert (done.code, done.err) == (0, "")


def test_without_the_base_packages_there_is_one_line_too(tmp_path):
    """Where not even the base packages are there, the entrance says how to install them."""
    install(tmp_path, ROOMS)
    describe(tmp_path)
    done = enter(tmp_path, "--help")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.endswith(
        "is not installed: this command needs the packages of equiproof; pip install 'equiproof'\n"
    )


def test_without_metadata_the_page_on_installing_is_named(tmp_path):
    """A checkout that was never installed has no metadata: the line names the package and the page."""
    install(tmp_path, ROOMS)
    done = enter(tmp_path, "--help")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "is not installed, and this command needs it; README.md says how to install" in done.stderr
