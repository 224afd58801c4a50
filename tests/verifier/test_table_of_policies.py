"""policies.json makes policies: a new row and its class are an argument, a field, an option and a public name."""

import inspect
import json
import os
import shutil
import subprocess
import sys

import pytest
from msgspec import structs

from equiproof.circuits import policy_rows, tables
from equiproof.circuits.exit_codes import MISUSED, OK, REFUSED
from equiproof.circuits.policy_rows import PolicyRow
from equiproof.verifier import policies, policy_of
from equiproof.verifier.policy_file import Requirements
from tests.support import ROOT

TABLES = "go-gnark/verify/tables"
LOANS = ROOT / "tests" / "golden" / "loans"

ROW = {
    "option": "--named",
    "help": "option.named",
    "commands": ["verify", "verify-many"],
    "argument": "named",
    "field": "named",
    "kind": "names",
    "fact": "spec",
    "reasons": ["features-not-named"],
    "covers": [],
}
HELP = "Require that the certificate covers these features, such as sex,race."
SENTENCE = "the certificate does not cover {features}"
CLASS = '''

@dataclass(frozen=True)
class NamesFeatures:
    """Require that the spec lists at least these features as sensitive."""

    names: tuple[str, ...]
    covers: ClassVar[frozenset[str]] = _NOTHING
    reason: ClassVar[str] = "features-not-named"

    def __post_init__(self) -> None:
        if not self.names:
            raise ValueError("names no feature")

    def check(self, facts: Facts) -> tuple[str, ...]:
        sensitive = {feature.name for feature in facts.spec.features if feature.sensitive}
        if lacking := [name for name in self.names if name not in sensitive]:
            raise PolicyError(say("policy.features_not_named", features=", ".join(lacking)), self.reason)
        return ("it covers " + ", ".join(self.names),)
'''

ASKED = """
import json
import equiproof
from equiproof.verifier import CertificateFormatError, Own, RequirementError, parse_policy, policy_of
from equiproof.verifier.policy_file import PolicyDocument
import msgspec

def of_file(**requires):
    document = {"format": "equiproof-policy", "version": 2, "requires": requires}
    return parse_policy(json.dumps(document).encode(), "p.json", Own())

(made,) = policy_of(named=["sex", "race"]).policies
assert made == equiproof.NamesFeatures(("sex", "race")), made
assert "NamesFeatures" in equiproof.__all__ and "NamesFeatures" in equiproof.verifier.__all__
assert of_file(named=["sex", "race"]).policies == (made,)
fields = msgspec.json.schema(PolicyDocument)["$defs"]["Requirements"]["properties"]
assert fields["named"]["anyOf"][0] == {"type": "array", "items": {"type": "string"}}, fields["named"]
for refused in (lambda: policy_of(named=[]), lambda: of_file(named=[])):
    try:
        refused()
    except (RequirementError, CertificateFormatError) as error:
        assert str(error).endswith("named: names no feature"), error
    else:
        raise AssertionError(refused)
"""


def changed(path, change):
    """Write a JSON file anew with a change."""
    found = json.loads(path.read_text(encoding="utf-8"))
    change(found)
    path.write_text(json.dumps(found), encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package with one more policy: a row, its sentences, its reason and its class, and nothing else."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "equiproof", folder / "equiproof", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / TABLES, folder / TABLES)
    changed(folder / TABLES / "policies.json", lambda table: table.update(NamesFeatures=ROW))
    changed(folder / TABLES / "written.json", lambda table: table.update({"option.named": HELP}))
    for language in ("en", "de"):
        said = {"policy.features_not_named": SENTENCE}
        changed(folder / TABLES / "messages.json", lambda table, to=language, said=said: table[to].update(said))
    reason = {"features-not-named": {"class": "policy"}}
    changed(folder / TABLES / "reasons.json", lambda table: table["reasons"].update(reason))
    module = folder / "equiproof" / "verifier" / "policy.py"
    source = module.read_text(encoding="utf-8").replace("__all__ = [", '__all__ = [\n    "NamesFeatures",', 1)
    module.write_text(source + CLASS, encoding="utf-8")
    return folder


def run(copy, *words):
    """Run Python on the copy."""
    command = [sys.executable, "-B", "-P", *map(str, words)]
    environment = os.environ | {"PYTHONPATH": str(copy)}
    return subprocess.run(command, env=environment, cwd=copy, capture_output=True, text=True, check=False)


def test_a_row_is_an_argument_a_field_and_a_public_name(copy):
    """Programs in Python have the new policy by name, by its argument and by its field of a policy file."""
    done = run(copy, "-c", ASKED)
    assert (done.returncode, done.stderr) == (0, "")


COMMANDS = """
import contextlib, io, json, sys
from equiproof.cli.main import run
answers = []
for words in json.loads(sys.argv[1]):
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = run(words)
    answers.append([code, said.getvalue()])
print(json.dumps(answers))
"""


def commands(copy, *commands):
    """Run commands of the copy in one process; return the exit code of each and what it prints."""
    words = json.dumps([[*map(str, command)] for command in commands])
    done = run(copy, "-c", COMMANDS, words)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_a_row_is_an_option(copy):
    """The commands of the row have its option, and the others do not."""
    (_, help_text), (_, other) = commands(copy, ("verify", "--help"), ("gain", "verify", "--help"))
    assert "--named NAME,NAME" in help_text
    assert " ".join(HELP.split()) in " ".join(help_text.split())
    assert "--named" not in other
    assert "--min-radius" in other


JUDGED = [
    ("sex", OK, "it covers sex"),
    ("sex,race", REFUSED, "the certificate does not cover race"),
    ("", MISUSED, "--named: names no feature"),
]


def test_a_certificate_is_judged_by_the_option(copy):
    """The option's policy is checked, and a value without a meaning is refused by the name of the option."""
    files = ("--commitment", LOANS / "commitment.json", "--keys", LOANS / "keys", "--checker", "python", "--verbose")
    words = ("verify", LOANS / "certificate.json", *files, "--named")
    answers = commands(copy, *((*words, names) for names, _, _ in JUDGED))
    for (code, text), (names, wanted, said) in zip(answers, JUDGED, strict=True):
        assert (code, said in text) == (wanted, True), (names, text)


def test_each_argument_is_a_field_of_the_same_name():
    """An error about an argument names the field, too; fields are in the order in which policies are checked."""
    rows = policy_rows.by_argument()
    of_file = [row.field for row in rows.values() if row.field]
    assert [*of_file, "any_of"] == [field.name for field in structs.fields(Requirements)]
    assert all(row.field in ("", row.argument) for row in rows.values())
    assert list(inspect.signature(policy_of).parameters) == list(rows)


def test_another_argument_is_an_error_of_the_call():
    """A word that is no argument is a TypeError, as of any function."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'min_radios'"):
        policy_of(min_radios="1")
    with pytest.raises(TypeError):
        policy_of("0.1")


@pytest.mark.parametrize(
    ("row", "message"),
    [({"kind": "flag"}, "MinRadius: .*fact"), (ROW | {"kinds": 1}, "MinRadius: .*kinds"), (1, "MinRadius")],
)
def test_a_malformed_row_is_an_error(monkeypatch, tmp_path, row, message):
    """A row that lacks something, or has something else, is named."""
    (tmp_path / "policies.json").write_text(json.dumps({"MinRadius": row}))
    monkeypatch.setattr(tables, "path_of", lambda name: tmp_path / f"{name}.json")
    with pytest.raises(tables.TableError, match=rf"policies\.json: {message}"):
        policy_rows.policy_rows.__wrapped__()


def test_a_row_without_a_class_is_an_error():
    """An unknown policy is named."""
    with pytest.raises(tables.TableError, match="MaxRadius: no policy"):
        policies.policy_class("MaxRadius")


def test_a_parameter_is_the_option_in_python():
    """Options have blanks as dashes, parameters as underscores."""
    assert PolicyRow("X", "flag", "x", (), (), option="--min-radius").parameter == "min_radius"
