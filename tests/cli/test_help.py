"""What the command line says about itself."""

import os
import subprocess
import sys
from importlib.metadata import version

import pytest

from equiproof.cli.everyday import COMMON, READ_ROWS
from equiproof.cli.main import _commands
from tests.cli.world import shell

DECISIONS = ("--decisions", "--cut", "--allow-differing", "--accept-labels")
"""Options of the comparison with the owner's own decisions."""

OPTIONS = {
    "demo": {"--out", "--dataset", "--sensitive", "--one-hot", "--train", "--data-dir"},
    "train": {
        "--out", "--dataset", "--sensitive", "--one-hot", "--hidden", "--variant", "--ranges", "--use-ranges",
        "--decay", "--seed", "--data-dir", "--force", "--json", "--model", "--rounds", "--depth", "--monotone",
        "--objective", "--objective-feature", "--objective-weight", "--logarithms", "--native-categories",
        "--spec", "--rows", "--label",
    },
    "inspect": {"--rows", "--sample", "--max-seconds", "--scheme", "--plot", "--data-dir", "--force", "--json"},
    "spec": {
        "--label", "--sensitive", "--out", "--labels", "--units", "--categories", "--drop", "--dates", "--logits",
        "--leave-out-missing", "--missing", "--mark-missing", "--changes", "--sep", "--one-hot", "--ranges",
        "--use-ranges", "--force", "--json", "--logarithms", "--order", "--threshold", "--levels", "--gain-levels",
    },
    "import": {
        "--out", "--spec", "--dataset", "--domains", "--domain", "--sensitive", "--one-hot", "--columns", "--units",
        "--labels", "--classes", "--threshold", "--weight-bits", "--widen", "--input-fraction-bits", "--rows",
        "--allow-loss", "--data-dir", "--force", "--json", "--trees", "--unused", "--dates", "--cutoff",
        "--base-points", "--unlisted", "--score-is-logit", "--values", "--levels", "--gain-levels", *DECISIONS,
    },
    "commit": {"--out", "--rows", "--data-dir", "--pad-to", "--force", "--json", *DECISIONS},
    "setup": {
        "--opening", "--commitment", "--keys", "--hidden", "--predicates", "--nodes", "--slots", "--rows", "--sets",
        "--pad-to", "--catalogue", "--kept", "--self-contained", "--passed",
        "--yes", "--scheme", "--gain", "--box", "--capacity", "--proof-system", "--powers", "--owner-secret", "--force",
        "--json",
    },
    "certify": {
        "--opening", "--scheme", "--max-regions", "--max-leaves", "--max-seconds", "--exact", "--explain", "--slots",
        "--rows", "--capacity", "--jobs", "--resume", "--out", "--force", "--json",
    },
    "predict": {"--json", *DECISIONS},
    "prove": {
        "--opening", "--keys", "--out", "--query-out", "--context", "--receipt", "--scheme", "--capacity", "--disclose",
        "--max-seconds", "--owner-secret", "--out-dir", "--id", "--nonce", "--bundles", "--letters", "--recourse",
        "--reasons", "--lender", "--link", "--language", "--jobs", "--engine", "--resume", "--force", "--json",
    },
    "bundle": {"--out", "--commitment", "--key", "--context", "--log-proof", "--receipt", "--for-applicant",
               "--recourse", "--box-keys", "--wishes", "--force", "--json"},
    "recourse": {
        "--opening", "--wishes", "--label", "--most", "--max-seconds", "--prove", "--keys", "--out", "--context",
        "--owner-secret", "--reasons", "--page", "--lender", "--reference", "--language", "--force", "--json",
    },
    "letter": {
        "--out", "--lender", "--link", "--reference", "--date", "--language", "--commitment", "--key", "--query",
        "--context", "--force", "--json",
    },
    "verify": {
        "--commitment", "--keys", "--model-commitment", "--key-fingerprint", "--link-key-fingerprint", "--query",
        "--context", "--min-radius", "--no-ranges", "--ranges-within", "--setup", "--covers", "--transcript",
        "--link-transcript", "--signed-by", "--least-signers", "--policy", "--checker", "--language", "--verbose",
        "--json", "--receipt", "--log-proof", "--log-key", "--witnesses", "--least-witnesses", "--smallest-tree",
        "--max-log-age", "--log-owner", "--stamp", "--authority", "--link",
    },
    "verify-many": {
        "--commitment", "--keys", "--min-radius", "--no-ranges", "--ranges-within", "--setup", "--transcript",
        "--link-transcript", "--signed-by", "--least-signers", "--policy", "--checker", "--covers", "--jobs", "--out",
        "--force", "--json",
        "--log-proof", "--log-key", "--witnesses", "--least-witnesses", "--smallest-tree", "--max-log-age",
        "--log-owner", "--language", "--link",
    },
    "repair": {
        "--opening", "--out", "--keep", "--relaxed", "--box", "--least-kept", "--sets", "--steps", "--seed", "--scheme",
        "--max-seconds",
        "--prove", "--keys", "--context", "--owner-secret", "--force", "--json",
    },
    "mitigate": {
        "--out", "--opening", "--model", "--rows", "--dataset", "--sample", "--action", "--seconds", "--rounds",
        "--most-stopped", "--retrain", "--epochs", "--seed", "--data-dir", "--force", "--json",
    },
    "status": {"--owner-secret", "--json"},
    "serve": {"--settings", "--json"},
    "data": set(),
    "audit": set(),
    "gain": set(),
    "box": set(),
    "table": set(),
    "circuit": set(),
    "ceremony": set(),
    "keys": set(),
    "identity": set(),
    "export": set(),
    "receipt": set(),
    "log": set(),
    "lot": set(),
    "package": set(),
    "stamp": set(),
    "service": set(),
}  # fmt: skip


def test_the_commands_are_these():
    """Every command of the program has its options listed here, and no other."""
    commands = _commands().commands
    found = {
        name: {option for parameter in command.params for option in parameter.opts if option.startswith("--")}
        for name, command in commands.items()
    }
    notation = {"--decimal", "--thousands"}
    wanted = {name: options | notation if name in READ_ROWS else options for name, options in OPTIONS.items()}
    assert {name: options - {"--help"} - COMMON for name, options in found.items()} == wanted


def test_help_names_every_command():
    """`equiproof --help` succeeds and names every command on standard output."""
    outcome = shell("--help")
    assert (outcome.code, outcome.err) == (0, "")
    for name in OPTIONS:
        assert f"\n  {name} " in outcome.out


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["data"],
        ["audit"],
        ["circuit"],
        ["gain"],
        ["box"],
        ["table"],
        ["ceremony"],
        ["keys"],
        ["identity"],
        ["export"],
        ["receipt"],
        ["log"],
        ["lot"],
        ["package"],
        ["stamp"],
        ["log", "entry"],
        ["service"],
        ["service", "model"],
        ["service", "client"],
        ["service", "key"],
        ["service", "officer"],
    ],
    ids=" ".join,
)
def test_summaries_of_commands_fit_their_line(cli, words):
    """No line of a list of commands is cut off by dots."""
    assert "..." not in cli(*words, "--help").out.partition("\nCommands:\n")[2]


@pytest.mark.parametrize("command", OPTIONS)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_of_a_command_explains_every_option(cli, command, option):
    """`equiproof COMMAND --help` succeeds and has a line for every option."""
    outcome = cli(command, option)
    assert (outcome.code, outcome.err) == (0, "")
    for name in OPTIONS[command]:
        assert f"\n  {name} " in outcome.out or f"\n  {name}\n" in outcome.out
    assert "none" not in outcome.out.lower().split()


def test_without_a_command_the_help_is_shown(cli):
    """`equiproof` alone shows the help instead of a traceback."""
    outcome = cli()
    assert outcome.code in (0, 2)
    assert "Usage: " in outcome.out + outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["nonsense"], "nonsense"),
        (["--nonsense"], "--nonsense"),
        (["certify"], "row"),
        (["certify", "row.json"], "--opening"),
        (["certify", "row.json", "two.json", "--opening", "o.json"], "two.json"),
        (["certify", "row.json", "--opening"], "--opening"),
        (["certify", "row.json", "--opening", "o.json", "--max-regions", "1"], "--max-regions"),
        (["certify", "row.json", "--opening", "o.json", "--max-regions", "many"], "--max-regions"),
        (["certify", "row.json", "--opening", "o.json", "--scheme", "tree"], "'traversal', 'branch'"),
        (["certify", "row.json", "--opening", "o.json", "--scheme", "branch", "--max-leaves", "2"], "--max-leaves"),
        (
            ["certify", "row.json", "--opening", "o.json", "--scheme", "branch", "--max-regions", "8"],
            "--max-regions does not apply to scheme branch: use --max-leaves, or --scheme traversal",
        ),
        (
            ["certify", "row.json", "--opening", "o.json", "--scheme", "traversal", "--max-leaves", "8"],
            "--max-leaves does not apply to scheme traversal: use --max-regions, or --scheme branch",
        ),
        (
            ["certify", "row.json", "--opening", "o.json", "--max-regions", "8"],
            "--max-regions does not apply to scheme branch: use --max-leaves, or --scheme traversal",
        ),
        (
            ["certify", "row.json", "--opening", "o.json", "--explain", "--exact"],
            "--explain cannot be combined with --exact",
        ),
        (
            ["certify", "row.json", "--opening", "o.json", "--explain", "--resume", "r"],
            "--explain cannot be combined with",
        ),
        (["certify", "row.json", "--opening", "o.json", "--max-seconds", "-1"], "--max-seconds"),
        (["certify", "row.json", "--opening", "o.json", "--max-seconds", "nan"], "--max-seconds"),
        (["train"], "--out"),
        (["train", "--out", "m", "--variant", "kind"], "--variant"),
        (["train", "--out", "m", "--decay", "-1"], "--decay"),
        (["train", "--out", "m", "--decay", "nan"], "--decay"),
        (["train", "--out", "m", "--objective", "kind"], "--objective"),
        (["train", "--out", "m", "--objective-weight", "1"], "--objective-weight"),
        (["train", "--out", "m", "--objective-feature", "sex"], "--objective-feature"),
        (["train", "--out", "m", "--objective", "fair-n", "--decay", "1"], "--decay"),
        (["train", "--out", "m", "--objective", "fair-n", "--variant", "fair"], "--variant"),
        (["train", "--out", "m", "--objective", "fair-n", "--objective-feature", "age"], "'age' is not sensitive"),
        (["train", "--out", "m", "--objective", "certifair"], "no weight for lending"),
        (["train", "--out", "m", "--objective", "certifair", "--objective-weight", "2"], "at most 1 for certifair"),
        (["train", "--out", "m", "--objective", "unaware", "--objective-weight", "1"], "no fairness loss"),
        (["train", "--out", "m", "--model", "forest", "--objective", "fair-n"], "--objective is for --model network"),
        (["train", "--out", "m", "--seed", "-1"], "--seed"),
        (["train", "--out", "m", "--seed", str(10**30)], "--seed"),
        (["train", "--out", "m", "--dataset", "nonsense"], "nonsense"),
        (["train", "--out", "m", "--hidden", ""], ""),
        (["train", "--out", "m", "--hidden", "4,,2"], "4,,2"),
        (["train", "--out", "m", "--hidden", "-4"], "-4"),
        (["train", "--out", "m", "--hidden", "4;2"], "4;2"),
        (["train", "--out", "m", "--hidden", "1" * 5000], "1111"),
        (["train", "--out", "m", "--dataset", "german"], "german.data"),
        (["train", "--out", "m", "--dataset", "german", "--data-dir", "nowhere"], "nowhere"),
        (["setup", "--commitment", "c.json", "--keys", "k", "--capacity", "0"], "--capacity"),
        (["certify", "row.json", "--opening", "o.json", "--explain", "--out", "r.json"], "--explain cannot"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)
def test_misuse_is_one_line_and_exit_code_2(cli, tmp_path, monkeypatch, words, named):
    """A command line that means nothing ends with 2, says in one line which word, and writes nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EQUIPROOF_DATA", raising=False)
    cli(*words).complaint(2, named)
    assert not list(tmp_path.iterdir())


def test_misuse_of_the_program_itself_is_exit_code_2(tmp_path):
    """The real program reports misuse by 2, which no script can mistake for a refused certificate."""
    shell("verify", cwd=tmp_path).complaint(2, "file")


def test_the_version_is_that_of_the_package(cli):
    """`equiproof --version` prints the installed version, and nothing else."""
    outcome = cli("--version")
    assert (outcome.code, outcome.out, outcome.err) == (0, f"equiproof {version('equiproof')}\n", "")


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["verify"], "verify"),
        (["verify", "c.json", "--commitment"], "verify"),
        (["prove", "row.json", "--opening"], "prove"),
        (["train", "--hiden", "4"], "train"),
        (["circuit", "prove"], "circuit prove"),
        (["data", "describe"], "data describe"),
        (["audit", "run"], "audit run"),
        (["audit", "info"], "audit info"),
        (["audit", "report"], "audit report"),
        (["audit", "compare"], "audit compare"),
        (["audit", "pack"], "audit pack"),
        (["setup", "--commitment", "x", "--keys", "y", "--hidden", "3", "--capacity", "many"], "setup"),
    ],
)
def test_words_that_do_not_fit_point_to_the_help(cli, words, command):
    """An option that is missing, unknown or without its value is one line that ends with where to read on."""
    outcome = cli(*words)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.startswith("equiproof: ")
    assert outcome.err.endswith(f" See `equiproof {command} --help`.\n")


def test_a_command_is_built_without_the_others():
    """What stands below its word is that of the whole tree."""
    for name, command in _commands().commands.items():
        alone = _commands(name).commands
        assert list(alone) == [name]
        assert type(alone[name]) is type(command)
        assert [one.opts for one in alone[name].params] == [one.opts for one in command.params]


def test_other_commands_are_not_imported():
    """`predict` starts without the service, the audits, the commands that verify, what draws or reads a version."""
    program = (
        "import sys\nfrom equiproof.cli.main import run\nrun(['predict', '--help'])\n"
        "print(sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "'equiproof.cli.commands.predict'" in done.stderr
    assert not any(f"'equiproof.cli.commands.{name}'" in done.stderr for name in ("serve", "audit", "verify", "lot"))
    assert not any(f"'{name}'" in done.stderr for name in ("rich", "importlib.metadata"))


@pytest.mark.parametrize("own", [None, "20"])
def test_threads_of_numpy_without_work_sleep_at_once(own):
    """The entrance says so before numpy is loaded, unless the environment says otherwise."""
    program = (
        "import os, sys\nfrom equiproof.__main__ import main\n"
        "try:\n    main()\nfinally:\n    print(os.environ['OPENBLAS_THREAD_TIMEOUT'], 'numpy' in sys.modules)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_THREAD_TIMEOUT"}
    environment |= {} if own is None else {"OPENBLAS_THREAD_TIMEOUT": own}
    words = [sys.executable, "-c", program, "predict", "--help"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.splitlines()[-1] == f"{own or 4} False"


def test_a_command_that_loaded_torch_ends_without_a_word_of_its_bindings():
    """They would call what is left at the end of the process leaked, on standard error."""
    pytest.importorskip("triton", reason="which torch loads with its compiler")
    program = "import torch._dynamo\nfrom equiproof.__main__ import main\nmain()"
    done = subprocess.run([sys.executable, "-c", program, "--version"], capture_output=True, text=True, check=True)
    assert done.stderr == ""
