"""What every command has: -v and --log, defaults from `equiproof.toml`, and a first look at the files that it names."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from math import isnan
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command
from typer.models import TyperPath

from equiproof.circuits import tables
from equiproof.circuits.exit_codes import FAULT, INTERRUPTED, MISUSED, OK
from equiproof.circuits.once import once
from equiproof.cli import failures, places, steps
from equiproof.cli.console import remark
from equiproof.cli.settings import COMMANDS, FILE, Option, Options, Settings

ALOUD = "aloud"
LOG = "log_file"
CONFIG = "config_file"
DECIMAL = "decimal"
THOUSANDS = "thousands"
COMMON = frozenset({"--log", "--config"})
"""The long options of this module; `-v` is short only."""

Aloud = Annotated[bool, typer.Option("-v", help=tables.written("option.verbose"))]
LogFile = Annotated[
    Path | None,
    typer.Option("--log", metavar="FILE", help=tables.written("option.step_log")),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help=f"Paths and defaults of these options, in TOML. Default: {FILE} in the working folder, if it is there.",
    ),
]
DecimalMark = Annotated[
    str | None,
    typer.Option(
        "--decimal", metavar="MARK", help="What stands before the fraction of numbers in your rows, such as a comma."
    ),
]
ThousandsMark = Annotated[
    str | None,
    typer.Option(
        "--thousands",
        metavar="MARK",
        help="What stands between groups of three digits in your rows: a point, a comma, blank or apostrophe.",
    ),
]

READ_ROWS = frozenset(
    {
        *("spec", "import", "train", "inspect", "commit", "certify", "predict", "prove", "recourse", "repair"),
        "mitigate",
        *("audit run", "audit report", "circuit prove", "gain prove", "receipt new", "table challenge"),
    }
)
"""The commands that read rows of raw features, and say how the numbers in them are written."""


class EverydayCommand(TyperCommand):
    """A command that can log its steps, and that looks at the files it names before it begins."""

    takes_settings = False
    reads_rows = False

    def __init__(self, name: str | None, *, params: Any = None, **more: Any) -> None:
        """Add the options of every command to those of this one."""
        left_out = {*(() if self.takes_settings else (CONFIG,)), *(() if self.reads_rows else (DECIMAL, THOUSANDS))}
        common = [one for one in _common_options() if one.name not in left_out]
        super().__init__(name, params=[*(params or ()), *common], **more)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of the command line; where they leave an option out, the file of settings gives it."""
        given = list(args)
        with _judging_files(self, ctx, given):
            values, _, _ = self.make_parser(ctx).parse_args(args=list(args))
            _refuse_swallowed(self, ctx, values)
            if self.takes_settings and not steps.inside() and "help" not in values:
                ctx.default_map, ctx.meta[FILE] = _from_file(ctx, values)
            with _naming_settings(ctx):
                left = super().parse_args(ctx, args)
                _refuse_no_numbers(self, ctx)
                return left

    def invoke(self, ctx: Any) -> Any:
        """Run the command, and write down how it began and how it ended."""
        ctx.params.pop(CONFIG, None)
        aloud = ctx.params.pop(ALOUD)
        log = ctx.params.pop(LOG)
        marks = [ctx.params.pop(name, None) for name in (DECIMAL, THOUSANDS)]
        command = " ".join(_words(ctx))
        say = remark if aloud else None
        with steps.running(command, log, say) as record, _ended(record), _naming_settings(ctx):
            record.note("begin", None, **_begun(ctx, self))
            if aloud:
                for default in ctx.meta.get(FILE, ()):
                    remark(f"equiproof: {command}: {default}")
            places.refuse_at_once(command, ctx.params, _paths(self))
            with _written_in(*marks), once():
                return super().invoke(ctx)


class OwnersCommand(EverydayCommand):
    """A command of a model's owner, which takes defaults from the file of settings."""

    takes_settings = True


class ReadingCommand(EverydayCommand):
    """A command that reads rows of raw features."""

    reads_rows = True


class OwnersReadingCommand(OwnersCommand, ReadingCommand):
    """A command of a model's owner that reads rows of raw features."""


def equip(app: typer.Typer, group: str = "") -> None:
    """Give every command of a tree what this module is about, before the tree is built."""
    for info in app.registered_commands:
        name = info.name or getattr(info.callback, "__name__", "").replace("_", "-")
        info.cls = _CLASSES[f"{group}{name}" in COMMANDS, f"{group}{name}" in READ_ROWS]
    for under in app.registered_groups:
        if under.typer_instance is not None:
            equip(under.typer_instance, f"{under.name} ")


_CLASSES: Mapping[tuple[bool, bool], type[EverydayCommand]] = {
    (False, False): EverydayCommand,
    (True, False): OwnersCommand,
    (False, True): ReadingCommand,
    (True, True): OwnersReadingCommand,
}
"""The class of a command that takes settings or not, and that reads rows or not."""


@contextmanager
def _written_in(decimal: str | None, thousands: str | None) -> Iterator[None]:
    """Read numbers of rows in a notation, where one is said; most commands need nothing of that."""
    if decimal is None and thousands is None:
        yield
        return
    from equiproof.certify.data.notation import written_in

    with written_in(decimal, thousands):
        yield


def _common_options() -> list[Any]:
    """Return the options of every command, that of settings and those of rows, as the parser has them."""

    def declared(
        decimal: DecimalMark = None,
        thousands: ThousandsMark = None,
        aloud: Aloud = False,
        log_file: LogFile = None,
        config_file: ConfigFile = None,
    ) -> None:
        """Take the options, whose declarations are read and which is never called."""

    app = typer.Typer(add_completion=False)
    app.command()(declared)
    return list(get_command(app).params)


def _words(ctx: Any) -> list[str]:
    """Return the words that name a command, without the program."""
    words: list[str] = []
    while ctx.parent is not None:
        words.insert(0, ctx.info_name)
        ctx = ctx.parent
    return words


def _is_path(parameter: Any) -> bool:
    """Return whether a parameter takes one path."""
    return isinstance(parameter.type, TyperPath) and not parameter.multiple


def _options_of(command: Any) -> Options:
    """Return a command's options by their names without dashes; those that have a long name."""
    return {
        parameter.opts[0].removeprefix("--"): Option(
            parameter.name, parameter.is_flag, parameter.multiple, _is_path(parameter)
        )
        for parameter in command.params
        if isinstance(parameter, TyperOption) and parameter.name and parameter.opts[0].startswith("--")
        if parameter.name != CONFIG
    }


@contextmanager
def _judging_files(command: Any, ctx: Any, words: list[str]) -> Iterator[None]:
    """Where words do not fit, raise first what an argument of the command says of a file's name, if it says anything.

    That a file is never one to go on with is more than that an option is unknown.
    """
    try:
        yield
    except typer.TyperException:
        judges = [one for one in command.params if isinstance(one, TyperArgument) and one.callback is not None]
        for word in _positional(command, ctx, words) if judges else ():
            judges[0].process_value(ctx, word)
        raise


def _positional(command: Any, ctx: Any, words: list[str]) -> list[str]:
    """Return the words that are no options and no values of known ones; the last option may lack its value."""
    names = [one.name for one in command.params if isinstance(one, TyperArgument)]
    for some in (words, words[:-1]):
        parser = command.make_parser(ctx)
        parser.ignore_unknown_options = True
        with suppress(typer.TyperException):
            values, left, _ = parser.parse_args(args=list(some))
            given = [values[name] for name in names if isinstance(values.get(name), str)]
            return [word for word in (*given, *left) if not word.startswith("-")]
    return []


def _refuse_swallowed(command: Any, ctx: Any, typed: Mapping[str, Any]) -> None:
    """Raise typer's own error for an option that was left without its value, so that it took the next option for it."""
    options = [one for one in command.get_params(ctx) if isinstance(one, TyperOption)]
    names = {name for one in options for name in (*one.opts, *one.secondary_opts)}
    for option in options:
        given = typed.get(option.name or "")
        for value in given if isinstance(given, list | tuple) else [given]:
            if isinstance(value, str) and value.partition("=")[0] in names:
                raise typer.BadParameter(
                    f"give {option.opts[0]} a value of its own: it would take the option {value[:40]!r} for one; a "
                    f"file of this name is ./{value[:40]}"
                )


def _refuse_no_numbers(command: Any, ctx: Any) -> None:
    """Raise typer's own error for an option whose value is NaN, which no bound of an option refuses."""
    for option in command.get_params(ctx):
        value = ctx.params.get(option.name)
        if isinstance(value, float) and isnan(value):
            raise typer.BadParameter("write a number: nan is none", ctx, option)


def _paths(command: Any) -> dict[str, str]:
    """Return how the parameters of a command that are paths are spelled."""
    return {
        one.name: one.opts[0]
        for one in command.params
        if isinstance(one.name, str) and one.name != LOG and _is_path(one)
    }


def _tree(command: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield the commands of a tree by the words that name them."""
    if not isinstance(command, TyperGroup):
        yield " ".join(above), command
        return
    for name, under in command.commands.items():
        yield from _tree(under, (*above, name))


class _FromFile(NamedTuple):
    """An option that the file of settings gives."""

    file: Path
    name: str
    value: Any

    def __str__(self) -> str:
        return f"{self.file} gives --{self.name} {self.value}"


def _from_file(ctx: Any, typed: Mapping[str, Any]) -> tuple[dict[str, Any], list[_FromFile]]:
    """Return the values of the file of settings by parameter, and those that the command line does not replace."""
    known = {words: _options_of(one) for words, one in _tree(ctx.find_root().command) if words in COMMANDS}
    file = typed.get(CONFIG)
    settings = Settings.read(None if file is None else Path(file), known)
    if settings is None:
        return {}, []
    words = " ".join(_words(ctx))
    options = known[words]
    on_the_line = {name for name, option in options.items() if option.parameter in typed}
    values = settings.defaults(words, options, on_the_line)
    defaults = [_FromFile(settings.path, name, value) for name, value in values.items() if name not in on_the_line]
    return {options[name].parameter: value for name, value in values.items()}, defaults


@contextmanager
def _naming_settings(ctx: Any) -> Iterator[None]:
    """Say in a complaint about options which of them the file of settings gives: they are not in sight."""
    try:
        yield
    except typer.BadParameter as error:
        if defaults := ctx.meta.get(FILE):
            error.message += f" ({defaults[0].file} gives {', '.join(f'--{one.name}' for one in defaults)})"
        raise


def _begun(ctx: Any, command: Any) -> dict[str, Any]:
    """Return what a log says of the options: their names, on the command line and in the file of settings."""
    by_source: dict[str, list[str]] = {"COMMANDLINE": [], "DEFAULT_MAP": []}
    for name, option in _options_of(command).items():
        source = ctx.get_parameter_source(option.parameter)
        if source is not None and source.name in by_source:
            by_source[source.name].append(f"--{name}")
    names = {"options": by_source["COMMANDLINE"], "from_file": by_source["DEFAULT_MAP"]}
    return {key: ",".join(listed) for key, listed in names.items() if listed}


@contextmanager
def _ended(record: steps.Steps) -> Iterator[None]:
    """Write down with which exit code a command ended, and the kind of an error, without its message."""
    begun = time.perf_counter()
    code = OK
    kind: dict[str, str] = {}
    try:
        yield
    except typer.Exit as end:
        code = end.exit_code
        raise
    except BaseException as error:
        code = _code(error)
        kind = {"error": type(error).__name__}
        raise
    finally:
        record.note("end", time.perf_counter() - begun, exit=code, **kind)


def _code(error: BaseException) -> int:
    """Return the exit code with which an error ends the program."""
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return INTERRUPTED
    if isinstance(error, typer.TyperException):
        return MISUSED
    return failures.exit_code(error) or (INTERRUPTED if failures.was_interrupted(error) else FAULT)
