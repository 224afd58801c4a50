"""`verify --checker`: which program checks the proof, and what the output says of it."""

import pytest


@pytest.mark.parametrize(
    ("checker", "said"),
    [("native", "by the native library"), ("python", "in plain Python"), ("auto", "native library")],
)
def test_a_named_program_checks(world, cli, checker, said):
    """The program that was named checks the proof; text and JSON say which one did."""
    assert said in cli(*world.verify("--verbose", "--checker", checker)).out.splitlines()[-1]
    found = cli(*world.verify("--checker", checker, "--json")).document["checker"]
    assert found == ("native" if checker == "auto" else checker)


def test_the_environment_chooses_and_the_option_overrules(world, cli, monkeypatch):
    """EQUIPROOF_CHECKER names the program for every command; an option beside it wins."""
    monkeypatch.setenv("EQUIPROOF_CHECKER", "python")
    assert cli(*world.verify("--json")).document["checker"] == "python"
    assert cli(*world.verify("--json", "--checker", "native")).document["checker"] == "native"


@pytest.mark.parametrize("checker", ["", "Python", "gnark"])
def test_unknown_programs_are_misuse(world, cli, checker):
    """An unknown program is the caller's mistake, and the known ones are named."""
    cli(*world.verify(f"--checker={checker}")).complaint(2, "--checker", "auto, native, python")
