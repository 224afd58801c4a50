"""What `make wheel` leaves in dist: installed into empty environments and used, and described by its own bill."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tarfile
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from scripts import pin_requirements
from scripts.packages import modules, sources, trial
from scripts.packages.__main__ import SUMS, Compiled, packages, sums
from scripts.packages.archives import source_archive, unpacked
from tests.repo.installing import Environment, repacked
from tests.static.build import binary
from tests.support import ROOT
from tests.web.web import PACKAGE

GOLDEN = ROOT / "tests" / "golden" / "loans"
LIBRARY = ROOT / "equiproof" / "ffi" / "libequiproof.so"
LOG = ROOT / "equiproof" / "ffi" / "equiproof-log"
GO = ROOT / ".venv" / "toolchain" / "go"
FILES = ("--commitment", GOLDEN / "commitment.json", "--keys", GOLDEN / "keys")
VERIFY = ("verify", GOLDEN / "certificate.json", *FILES, "--json")


@dataclass(frozen=True)
class Published:
    """The finished files."""

    files: tuple[Path, ...]

    def one(self, pattern: str) -> Path:
        """Return the file whose name matches; there must be one."""
        (found,) = (path for path in self.files if path.match(pattern))
        return found

    @property
    def pure(self) -> Path:
        """The wheel that verifies."""
        return self.one("equiproof-*-py3-none-any.whl")

    @property
    def native(self) -> Path:
        """The wheel of the library."""
        return self.one("equiproof_native-*.whl")

    @property
    def log(self) -> Path:
        """The wheel of the program that writes logs."""
        return self.one("equiproof_log-*.whl")

    @property
    def program(self) -> Path:
        """The archive of the static verifier."""
        return self.one("equiproof-verify-*.tar.gz")

    @property
    def bill(self) -> dict:
        """The bill of materials."""
        return json.loads(self.one("*.cdx.json").read_bytes())


def build(folder: Path) -> Published:
    """Build everything below a folder; skips where what builds it is missing."""
    go = str(GO) if GO.exists() else shutil.which("go")
    if go is None or not LIBRARY.is_file() or not LOG.is_file():
        pytest.skip("no go command, no library or no equiproof-log: `make build` brings all")
    if not (PACKAGE / "node_modules" / ".installed").exists():
        pytest.skip("no packages of npm: `make web` brings them")
    folder.mkdir(exist_ok=True)
    verifier = binary(folder / "equiproof-verify")
    return Published(tuple(packages(folder / "built", go, Compiled(LIBRARY, LOG, verifier), 1_700_000_000)))


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Everything that is published, built once."""
    return build(tmp_path_factory.mktemp("packages"))


def pins(layer):
    """Return the pinned versions of a requirements file by name."""
    found = pin_requirements.read(ROOT / "requirements" / f"{layer}.txt")
    return {name: pin.version for name, pin in found.items()}


@pytest.fixture(scope="module")
def index(published, tmp_path_factory):
    """A folder of wheels: ours, and what base.txt and prove.txt pin, as it is installed here."""
    folder = tmp_path_factory.mktemp("index")
    for name in pins("base") | pins("prove"):
        repacked(name, folder)
    for wheel in (published.pure, published.native, published.log):
        shutil.copy(wheel, folder)
    return folder


def metadata(wheel):
    """Return the metadata of a wheel, and the texts of licences in it by name."""
    with zipfile.ZipFile(wheel) as opened:
        (path,) = (name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        licences = {
            name.partition("/licenses/")[2]: opened.read(name) for name in opened.namelist() if "/licenses/" in name
        }
        return opened.read(path).decode(), licences


@pytest.mark.slow
def test_the_base_installation_verifies(index, tmp_path):
    """`pip install equiproof` brings what base.txt pins and no more, verifies, and says what other commands need."""
    environment = Environment.empty(tmp_path / "venv")
    environment.install("equiproof", index)
    assert environment.packages().keys() == pins("base").keys() | {"equiproof"}
    done = environment.call("equiproof", *VERIFY)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["checker"] == "python"
    setup = environment.call("equiproof", "setup", *FILES[:2], "--hidden", "3", "--keys", tmp_path / "keys")
    assert (setup.returncode, setup.stdout) == (2, "")
    assert setup.stderr == "equiproof: the native library is not installed: pip install 'equiproof[native]'\n"
    predict = environment.call("equiproof", "predict", "x", "x.json")
    assert predict.stderr.endswith("packages of equiproof[prove]; pip install 'equiproof[prove]'\n")
    log = environment.call("equiproof", "log", "init", "log")
    assert (log.returncode, log.stdout) == (2, "")
    assert log.stderr.startswith("equiproof: equiproof-log is not installed: pip install 'equiproof[log]'")


@pytest.mark.slow
def test_the_native_installation_checks_and_makes_keys(index, tmp_path):
    """`pip install 'equiproof[native]'` adds one package, with which proofs are checked natively and keys are made."""
    environment = Environment.empty(tmp_path / "venv")
    environment.install("equiproof[native]", index)
    assert environment.packages().keys() == pins("base").keys() | {"equiproof", "equiproof-native"}
    done = environment.call("equiproof", *VERIFY)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["checker"] == "native"
    listed = environment.call("equiproof", "circuit", "list")
    assert (listed.returncode, listed.stderr) == (0, "")


@pytest.mark.slow
def test_the_log_installation_keeps_a_log(index, tmp_path):
    """`pip install 'equiproof[log]'` adds one package, with which a log is made, appended to, and proven from."""
    environment = Environment.empty(tmp_path / "venv")
    environment.install("equiproof[log]", index)
    assert environment.packages().keys() == pins("base").keys() | {"equiproof", "equiproof-log"}

    def said(*words):
        done = environment.call("equiproof", *words)
        assert (done.returncode, done.stderr) == (0, ""), words
        return done.stdout

    said("identity", "new", "lender.example/log", "--out", "log.key")
    key = said("log", "init", "log", "--origin", "lender.example/log", "--key", "log.key").strip()
    words = ("--owner", "North Bank", "--from", "2026-03-01", "--out", "entry.json")
    said("log", "entry", "commitment", GOLDEN / "commitment.json", *words)
    name = hashlib.sha256((environment.folder / "entry.json").read_bytes()).hexdigest()
    assert said("log", "append", "log", "entry.json") == f"0 {name}\n"
    assert said("log", "checkpoint", "log").startswith("lender.example/log\n1\n")
    said("log", "proof", "log", "entry.json", "--log-key", key, "--out", "certificate.tlog-proof")


@pytest.mark.slow
def test_the_program_of_the_wheel_is_the_one_that_was_built(published):
    """The wheel has the program's very bytes, to be run, for any Python 3 and any C library."""
    with zipfile.ZipFile(published.log) as wheel:
        files = [one for one in wheel.infolist() if ".dist-info/" not in one.filename]
        assert [one.filename for one in files] == ["equiproof_log/__init__.py", "equiproof_log/equiproof-log"]
        assert wheel.read(files[1]) == LOG.read_bytes()
        assert files[1].external_attr >> 16 & 0o777 == 0o755
    assert re.fullmatch(
        r"equiproof_log-[\w.]+-py3-none-manylinux_2_17_(\w+)\.musllinux_1_1_\1\.whl", published.log.name
    )  # fmt: skip


@pytest.mark.slow
def test_what_the_wheels_hold(published):
    """The pure wheel has no compiled file, and the applicant's page; the native one serves any Python from 3.11."""
    names = set(zipfile.ZipFile(published.pure).namelist())
    assert {f"equiproof/service/web/assets/applicant.{kind}" for kind in ("css", "html", "js")} <= names
    assert not [name for name in zipfile.ZipFile(published.pure).namelist() if re.search(r"\.(so|dylib|pyd)$", name)]
    files = [name for name in zipfile.ZipFile(published.native).namelist() if ".dist-info/" not in name]
    assert set(files) == {f"equiproof_native/{name}" for name in ("__init__.py", "_native.abi3.so", "libequiproof.so")}
    assert "-cp311-abi3-" in published.native.name
    assert "Root-Is-Purelib: false" in zipfile.ZipFile(published.native).read(
        next(name for name in zipfile.ZipFile(published.native).namelist() if name.endswith("/WHEEL"))
    ).decode()  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("readelf") is None, reason="no readelf")
def test_the_tag_promises_no_more_than_the_libraries_need(published, tmp_path):
    """The tag names at least the newest version of the C library that is asked for; nothing of this machine is."""
    zipfile.ZipFile(published.native).extractall(tmp_path)  # noqa: S202  # built here
    (libraries, binding) = (tmp_path / "equiproof_native" / name for name in ("libequiproof.so", "_native.abi3.so"))
    wanted = [
        tuple(map(int, version.split(".")))
        for path in (libraries, binding)
        for version in re.findall(r"GLIBC_([\d.]+)", read_elf("-V", path))
    ]
    tag = re.search(r"-manylinux_(\d+)_(\d+)_\w+\.whl$", published.native.name)
    assert tag is not None, published.native.name
    assert max(wanted)[:2] <= tuple(map(int, tag.groups())) < (3,)
    needed = {name for path in (libraries, binding) for name in re.findall(r"NEEDED.*\[(.*)\]", read_elf("-d", path))}
    assert needed == {"libc.so.6", "libequiproof.so"}
    assert re.findall(r"(?:RUNPATH|RPATH).*\[(.*)\]", read_elf("-d", binding)) == ["$ORIGIN"]
    assert str(ROOT).encode() not in binding.read_bytes()


def read_elf(option, path):
    """Return what readelf says of a library."""
    return subprocess.run(["readelf", "-W", option, path], capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
def test_licences_go_along(published):
    """Each wheel states the licences of everything in it, and has their texts."""
    stated, texts = metadata(published.pure)
    assert "License-Expression: Apache-2.0 AND Unicode-3.0\n" in stated
    assert b"UNICODE LICENSE" in texts["go-gnark/verify/tables/names.LICENSE"].upper()
    named = {path.replace("/", "_"): licence for path, licence in modules.LICENCES.items()}
    held = set()
    for wheel, licences in (
        (published.native, "Apache-2.0 AND BSD-3-Clause AND MIT AND Unicode-3.0"),
        (published.log, "Apache-2.0 AND BSD-3-Clause AND MIT AND MPL-2.0 AND Unicode-3.0"),
    ):
        stated, texts = metadata(wheel)
        assert f"License-Expression: {licences}\n" in stated
        found = {name.split("/")[1] for name in texts if name.count("/") == 2}
        assert {named[name] for name in found} | {"Unicode-3.0"} == set(licences.split(" AND "))
        assert b"UNICODE LICENSE" in texts["licences/names.LICENSE"].upper()
        held |= found
    assert held == named.keys()


@pytest.mark.slow
def test_the_bill_is_valid_and_complete(published, tmp_path):
    """The bill meets its schema, and has a version and a licence for each part that is shipped or brought."""
    bill = published.bill
    assert bill["specVersion"] == "1.6"
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(bill)) is None
    parts = {part["bom-ref"]: part for part in bill["components"]}
    assert all(part["licenses"] and part["version"] for part in parts.values())
    verifier = unpacked(published.program, tmp_path / "program") / "equiproof-verify"
    linked = {path: linked_into(path) for path in (LIBRARY, LOG, verifier)}
    lock = json.loads((ROOT / "web" / "verifier" / "package-lock.json").read_bytes())["packages"]
    loaded = [(place.removeprefix("node_modules/"), one) for place, one in lock.items() if place and not one.get("dev")]
    brought = pins("base") | pins("prove")
    del brought["setuptools"]  # builds the binding; no wheel needs it
    assert parts.keys() == {
        *linked[LIBRARY],
        *linked[LOG],
        *linked[verifier],
        *(f"pkg:npm/{name.replace('@', '%40')}@{one['version']}" for name, one in loaded),
        *(f"pkg:pypi/{name}@{version}" for name, version in brought.items()),
        f"pkg:pypi/equiproof-native@{version_of('native')}",
        f"pkg:pypi/equiproof-log@{version_of('go-log/wheel')}",
        f"pkg:generic/equiproof-verify@{version_of('.')}",
        f"pkg:npm/%40equiproof/element@{npm_version()}",
        f"pkg:npm/%40equiproof/verifier@{npm_version()}",
        "pkg:generic/unicode-character-database@15.0.0",
    }
    library = parts[f"pkg:pypi/equiproof-native@{version_of('native')}"]
    program = parts[f"pkg:pypi/equiproof-log@{version_of('go-log/wheel')}"]
    for part, path in (
        (bill["metadata"]["component"], published.pure),
        (library, published.native),
        (program, published.log),
        (parts[f"pkg:generic/equiproof-verify@{version_of('.')}"], published.program),
        (parts[f"pkg:npm/%40equiproof/element@{npm_version()}"], published.one("equiproof-element-*.tgz")),
        (parts[f"pkg:npm/%40equiproof/verifier@{npm_version()}"], published.one("equiproof-verifier-*.tgz")),
    ):
        assert [one["content"] for one in part["hashes"]] == [digest(path)]
    needs = {one["ref"]: set(one.get("dependsOn", ())) for one in bill["dependencies"]}
    assert needs[program["bom-ref"]] == linked[LOG]
    assert needs[library["bom-ref"]] == linked[LIBRARY]
    assert needs[f"pkg:generic/equiproof-verify@{version_of('.')}"] == linked[verifier]


def linked_into(built):
    """Return the addresses of the modules in a file that Go built, as it says itself: those of others, and Go's own."""
    said = subprocess.run([build_go(), "version", "-m", built], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^\tdep\t(\S+)\t(\S+)\t", said, re.MULTILINE)
    own = f"pkg:golang/stdlib@{said.partition(': ')[2].split()[0].removeprefix('go')}"
    return {own, *(f"pkg:golang/{path}@{version}" for path, version in found)}


def build_go():
    """Return the go command that the packages were built with."""
    return str(GO) if GO.exists() else "go"


def digest(path):
    """Return the SHA-256 digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def version_of(folder):
    """Return the version that a pyproject.toml states."""
    return tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]["version"]


def npm_version():
    """Return the project's version as npm writes it: `1.0.0rc1` is `1.0.0-rc.1` there."""
    return re.sub(r"rc(\d+)$", r"-rc.\1", version_of("."))


def test_the_packages_have_one_version():
    """Wheels, npm packages and programs have one version, for which the extras ask and which the changelog has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    version = project["version"]
    assert project["optional-dependencies"]["native"] == [f"equiproof-native=={version}"]
    assert project["optional-dependencies"]["log"] == [f"equiproof-log=={version}"]
    assert version_of("native") == version_of("go-log/wheel") == version
    for folder in ("web/verifier", "web/element", "contracts"):
        assert json.loads((ROOT / folder / "package.json").read_bytes())["version"] == npm_version(), folder
    for folder in ("web/verifier", "contracts"):
        lock = json.loads((ROOT / folder / "package-lock.json").read_bytes())
        assert lock["version"] == lock["packages"][""]["version"] == npm_version(), folder
    for path in ("go-gnark/verify/command/command.go", "go-log/internal/command/command.go"):
        assert f'const Version = "{version}"\n' in (ROOT / path).read_text(), path


@pytest.mark.slow
def test_the_digests_are_those_of_every_other_file(published):
    """SHA256SUMS names all that is published but itself, once, as `sha256sum --check` reads it."""
    (digests,) = (path for path in published.files if path.name == SUMS)
    others = [path for path in published.files if path != digests]
    assert digests.read_text() == sums(others)
    listed = dict(line.split("  ")[::-1] for line in digests.read_text().splitlines())
    assert list(listed) == sorted(path.name for path in others)
    assert listed[published.pure.name] == digest(published.pure)


@pytest.mark.slow
def test_an_archive_builds_the_archive(published, tmp_path, monkeypatch):
    """From an unpacked source archive, also after a build there, comes the very same one."""
    archive = published.one("equiproof-[0-9]*.tar.gz")
    root = unpacked(archive, tmp_path / "unpacked")
    for left in ("web/verifier/src/fields.ts", "equiproof/service/web/assets/applicant.html", "build/lib/x.py"):
        (root / left).parent.mkdir(parents=True, exist_ok=True)
        (root / left).write_text("left by a build")
    monkeypatch.setattr(sources, "ROOT", root)
    again = source_archive(sources.copied(tmp_path / "copy"), tmp_path / "out", 1_700_000_000)
    assert again.read_bytes() == archive.read_bytes()


@pytest.mark.slow
def test_programs_are_packed_with_their_licences(published):
    """An archive has one folder of its own name with the program, to be run, and the texts of all licences in it."""
    for name, held in (("equiproof-verify", None), ("equiproof-log", LOG.read_bytes())):
        path = published.one(f"{name}-*-*.tar.gz")
        with tarfile.open(path) as archive:
            members = {one.name.partition("/")[2]: one for one in archive}
            content = archive.extractfile(members[name]).read()
            assert {one.name.partition("/")[0] for one in archive} == {path.name.removesuffix(".tar.gz")}
        assert members[name].mode == 0o755
        assert held is None or content == held
        assert {"LICENSE", "licences/names.LICENSE", "licences/stdlib/LICENSE"} < members.keys()


@pytest.mark.release
def test_two_builds_give_the_same_bytes(published, tmp_path):
    """Another folder, another umask and another moment of the clock change no byte of any file."""
    before = os.umask(0o077)
    try:
        again = build(tmp_path / "again")
    finally:
        os.umask(before)
    assert {path.name: digest(path) for path in again.files} == {path.name: digest(path) for path in published.files}


def test_a_trial_ends_with_one_line_at_what_does_not_work(tmp_path):
    """A file with other bytes or without its digest, and a program that ends with another exit code, are named."""
    file = tmp_path / "equiproof-1.tar.gz"
    file.write_bytes(b"published")
    (tmp_path / SUMS).write_text(sums([file]))
    assert trial.same_digests(tmp_path) == [file]
    file.write_bytes(b"Published")
    with pytest.raises(trial.TrialError, match=rf"^{SUMS}: want .*equiproof-1"):
        trial.same_digests(tmp_path)
    file.unlink()
    with pytest.raises(trial.TrialError, match=r"^missing files: want \[\], got \['equiproof-1.tar.gz'\]$"):
        trial.same_digests(tmp_path)
    with pytest.raises(trial.TrialError, match=r"^sh -c echo one: want exit code 1, got 0: one$"):
        trial.run(tmp_path, "sh", "-c", "echo one", code=1)
    with pytest.raises(trial.TrialError, match=r"^sh -c exit 3: want exit code 0, got 3: $"):
        trial.run(tmp_path, "sh", "-c", "exit 3")
