"""The command `equiproof`: parsing, and turning exceptions into exit codes."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, cast

import typer
from typer.core import TyperGroup
from typer.main import get_command

from equiproof.circuits.arguments import as_options
from equiproof.circuits.exit_codes import FAULT, INTERRUPTED, MISUSED, OK, REFUSED
from equiproof.circuits.tables import written
from equiproof.circuits.text import brief
from equiproof.cli import failures
from equiproof.cli.console import remark, show
from equiproof.cli.everyday import equip
from equiproof.cli.settings import FILE

_COMMANDS = {
    **dict.fromkeys(("demo", "train", "spec")),
    "import": "import_model",
    **dict.fromkeys(
        ("inspect", "commit", "setup", "certify", "predict", "prove", "recourse", "bundle", "letter", "verify")
    ),
    "verify-many": "verify_many",
    **dict.fromkeys(("repair", "mitigate", "status", "serve")),
}
"""The commands in the order of the help, with the module and the function that are called otherwise."""

_GROUPS = (
    *(
        "data",
        "audit",
        "gain",
        "box",
        "table",
        "circuit",
        "ceremony",
        "keys",
        "identity",
        "export",
        "receipt",
        "log",
        "lot",
    ),
    *("package", "stamp", "service"),
)
"""The commands that have commands of their own, by the name of their module."""


def _show_version(requested: bool) -> None:
    """Print the version and exit."""
    if requested:
        from importlib.metadata import PackageNotFoundError, version  # its modules take megabytes

        try:
            own = version("equiproof")
        except PackageNotFoundError:
            own = "uninstalled"
        show(f"equiproof {own}")
        raise typer.Exit


def common_options(
    _: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help=written("option.version"))
    ] = False,
) -> None:
    """Prove to each applicant that sex, race or age plays no part in a decision, without showing the model.

    Every command takes -v, which says each step on standard error, and --log FILE, which appends them to a file. The
    owner's commands take paths and defaults from equiproof.toml in the working folder, or from --config FILE.

    Exit codes: 0 success, 1 verification refused, 2 wrong usage or a malformed file, 3 unfair, 4 a budget or the key's
    capacity was too small, 5 a public log contradicts itself, 70 internal error, 130 interrupted.
    """


@cache
def _commands(first: str | None = None) -> TyperGroup:
    """Return the tree of commands, or the part below a first word that names one, built once.

    To import all commands and to build the whole tree takes longer than many a command.
    """
    names = (*_COMMANDS, *_GROUPS) if first is None else (first,)
    app = typer.Typer(
        name="equiproof",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(common_options)
    for name in names:
        function = _COMMANDS.get(name) or name
        module = import_module(f"equiproof.cli.commands.{function}")
        if name in _GROUPS:
            app.add_typer(module.app, name=name)
        else:
            app.command(name)(getattr(module, function))
    equip(app)
    return cast(TyperGroup, get_command(app))  # a group, since it has options of its own


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; a user's mistake becomes one line on standard error.

    Ctrl-C is reported by `main`, since a second one may follow at any moment.
    """
    try:
        with as_options():
            words = list(arguments) or ["--help"]
            return int(_commands(_alone(words))(args=words, standalone_mode=False, obj=run) or OK)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except typer.TyperException as error:
        remark(_misuse(error, arguments))
        return MISUSED
    except Exception as error:  # noqa: BLE001  # a user's mistake or a fault of ours, as decided below
        code = failures.exit_code(error)
        if code is None and failures.was_interrupted(error):
            return INTERRUPTED
        if code is None:
            traceback.print_exc()
            return FAULT
        kind = "refused" if code == REFUSED else "equiproof"
        for line in failures.lines(error):
            remark(f"{kind}: {line}")
        return code


def _alone(words: Sequence[str]) -> str | None:
    """Return the first word if it names a command and there is no file of settings, which may be about any command."""
    is_set = os.path.lexists(FILE) or any(word.partition("=")[0] == "--config" for word in words)
    return words[0] if not is_set and (words[0] in _COMMANDS or words[0] in _GROUPS) else None


def _misuse(error: typer.TyperException, arguments: Sequence[str]) -> str:
    """Return one line on what is wrong with the words of a command, and where they are explained."""
    message = error.format_message()
    if "\n" in message:  # a command that needs a subcommand answers with its help
        return message
    # A command's own complaint about a value is complete. The parser's needs a pointer to the help.
    if type(error) is typer.BadParameter and error.param is None:
        return f"equiproof: {brief(error.message)}"
    return "equiproof: " + brief(f"{message.strip().rstrip('.')}. See `{' '.join(_command(arguments))} --help`.")


def _command(arguments: Sequence[str]) -> list[str]:
    """Return the words that name the command."""
    path = ["equiproof"]
    commands = _commands().commands
    for word in arguments:
        if word not in commands:
            break
        path.append(word)
        commands = getattr(commands[word], "commands", {})
    return path


def main() -> None:
    """Run the command line of this process; characters that its terminal cannot show are escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    code = INTERRUPTED
    sys.unraisablehook = _send_interrupt_again
    try:
        try:
            if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
                signal.signal(signal.SIGINT, signal.default_int_handler)
            code = run(sys.argv[1:])
        finally:
            # The rest takes no time, and a second Ctrl-C would only print a traceback.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code == INTERRUPTED:
        remark("equiproof: interrupted")
    _let_go_of_output()
    sys.exit(code)


def _send_interrupt_again(lost: sys.UnraisableHookArgs) -> None:
    """Repeat a Ctrl-C that fell into a callback or a finalizer, where exceptions are dropped; report any other."""
    if lost.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(lost)
        return
    sent = False
    while not sent:
        # On a machine that is busy the repetition may come while its thread is still being started.
        with contextlib.suppress(KeyboardInterrupt):
            again = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
            again.daemon = True
            again.start()
            sent = True


def _let_go_of_output() -> None:
    """Drop what standard output does not accept: it was reported, and the interpreter would fail again, with 120."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
