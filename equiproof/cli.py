"""The command `equiproof`: parsing, and the way from exceptions to exit codes."""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer

from circuits.text import plain
from equiproof import failures
from equiproof.commands import audit, bench, circuit, data
from equiproof.commands.certify import certify
from equiproof.commands.commit import commit
from equiproof.commands.demo import demo
from equiproof.commands.import_model import import_model
from equiproof.commands.inspect import inspect
from equiproof.commands.predict import predict
from equiproof.commands.prove import prove
from equiproof.commands.repair import repair
from equiproof.commands.setup import setup
from equiproof.commands.spec import spec
from equiproof.commands.train import train
from equiproof.commands.verify import verify
from equiproof.console import err, show

app = typer.Typer(
    name="equiproof",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(asked: bool) -> None:
    """Print the version and end."""
    if asked:
        try:
            own = version("equiproof")
        except PackageNotFoundError:
            own = "uninstalled"
        show(f"equiproof {own}")
        raise typer.Exit


@app.callback()
def common_options(
    _: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """Prove to each applicant that sex, race or age plays no part in a decision, without showing the model."""


for command in (demo, train, spec, import_model, inspect, commit, setup, certify, predict, prove, verify, repair):
    app.command("import" if command is import_model else None)(command)
app.add_typer(data.app, name="data")
app.add_typer(audit.app, name="audit")
app.add_typer(circuit.app, name="circuit")
app.add_typer(bench.app, name="bench")


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; a user's mistake becomes one line on standard error.

    Ctrl-C is left to `main` to tell: a second one may follow at any moment.
    """
    try:
        return int(app(args=list(arguments) or ["--help"], standalone_mode=False) or failures.OK)
    except (KeyboardInterrupt, typer.Abort):
        return failures.INTERRUPTED
    except typer.TyperException as error:
        err.print(_misuse(error, arguments), markup=False)
        return failures.MISUSED
    except Exception as error:  # noqa: BLE001  # told apart below: a user's mistake, or a fault of ours
        found = failures.exit_code(error)
        if found is None:
            traceback.print_exc()
            return failures.FAULT
        kind = "refused" if found == failures.REFUSED else "equiproof"
        err.print(f"{kind}: {failures.one_line(error)}", markup=False)
        return found


def _misuse(error: typer.TyperException, arguments: Sequence[str]) -> str:
    """Say in one line what is wrong with the words of a command, and where they are explained."""
    message = error.format_message()
    if "\n" in message:  # a command that needs a subcommand answers with its help
        return message
    # What a command says about a value of its own stands alone; the parser knows where it was, or found other words.
    if type(error) is typer.BadParameter and error.ctx is None:
        return f"equiproof: {plain(message)}"
    return f"equiproof: {plain(message).rstrip('.')}. See `{' '.join(_command(arguments))} --help`."


def _command(arguments: Sequence[str]) -> list[str]:
    """Return the words that name the command."""
    path, commands = ["equiproof"], typer.main.get_command(app).commands  # type: ignore[attr-defined]  # it is a group
    for word in arguments:
        if word not in commands:
            break
        path.append(word)
        commands = getattr(commands[word], "commands", {})
    return path


def main() -> None:
    """Run the command line of this process; what its terminal cannot show is escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    code = failures.INTERRUPTED
    try:
        try:
            code = run(sys.argv[1:])
        finally:
            # What is left takes no time, and a second Ctrl-C would only show where it struck.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        code = failures.INTERRUPTED
    if code == failures.INTERRUPTED:
        err.print("equiproof: interrupted", markup=False)
    _let_go_of_output()
    sys.exit(code)


def _let_go_of_output() -> None:
    """Drop what standard output does not take: it was told, and the interpreter would fail of it again, with 120."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
