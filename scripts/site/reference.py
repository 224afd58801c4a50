"""The reference pages, made from what they describe: Python names, commands, and the tables that programs share."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from equiproof.circuits.tables import read
from equiproof.cli.main import _commands
from scripts.site.pages import ORPHAN, ROOT

FOLDER = "reference"
FOLLOWED = "Developers"
"""The heading of the home page that the reference stands below."""
PROMISED = ("docs/python.md", "docs/audits.md")
"""Pages whose examples use names of rooms, which are thereby public (docs/versions.md)."""

_ROOMS = ("equiproof.verifier", "equiproof.prover")


def write(source: Path) -> dict[str, list[str]]:
    """Write all reference pages into the site's sources; return their places, by the heading they follow."""
    folder = source / FOLDER
    folder.mkdir()
    for name, text in {**_python(), **_command_pages(), "reasons.md": reasons(), "messages.md": messages()}.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return {FOLLOWED: [f"/{FOLDER}/{name}" for name in ("python", "commands", "reasons", "messages")]}


# ---------------------------------------------------------------------------------------------------------------------
# Python


def exported() -> dict[str, list[str]]:
    """Return the public names by module: of the package, of its rooms with a list of them, and those of examples."""
    found = {room: list(importlib.import_module(room).__all__) for room in ("equiproof", *_ROOMS)}
    for page in PROMISED:
        text = (ROOT / page).read_text(encoding="utf-8")
        for block in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            for node in ast.walk(ast.parse(block)):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("equiproof"):
                    names = found.setdefault(str(node.module), [])
                    names += [alias.name for alias in node.names if alias.name not in names]
    return found


def _python() -> dict[str, str]:
    """Return a page for each module with public names, and one that lists the modules."""
    described: set[int] = set()
    pages = {}
    lines = []
    for module, names in exported().items():
        loaded = importlib.import_module(module)
        new = []
        for name in sorted(names):
            value = getattr(loaded, name)
            if id(value) not in described:
                described.add(id(value))
                new.append((name, value))
        if not new:
            continue
        summary = (loaded.__doc__ or "").strip().partition("\n")[0]
        title = f"Module {module}"
        parts = [title, "=" * len(title), "", summary, ""]
        for name, value in new:
            parts += [*_directive(module, name, value), ""]
        pages[f"python/{module}.rst"] = ":orphan:\n\n" + "\n".join(parts)
        lines.append(f"- [`{module}`](python/{module}.rst): {summary}")
    head = [
        "# Python names",
        "",
        "Every public name, with its docstring and its file; a name stands where it is exported first.",
        "[The Python interface](../python.md) shows their use, [versions](../versions.md) what stays compatible.",
        "",
    ]
    return {"python.md": "\n".join([*head, *lines, ""]), **pages}


def _directive(module: str, name: str, value: object) -> list[str]:
    """Return what has autodoc describe a name."""
    kind = "function" if callable(value) else "data"
    options = []
    if inspect.isclass(value):
        kind = "exception" if issubclass(value, BaseException) else "class"
        options = ["   :members:", "   :show-inheritance:"]
    origin = getattr(value, "__module__", module)
    lines = [f".. auto{kind}:: {module}.{name}", *options]
    if loaded := sys.modules.get(origin):
        lines += ["", f"Source: `{Path(str(loaded.__file__)).relative_to(ROOT)}`"]
    return lines


# ---------------------------------------------------------------------------------------------------------------------
# Commands


def _command_pages() -> dict[str, str]:
    """Return a page for each first word of a command, and one that lists them."""
    tree = _commands()
    pages = {f"commands/{name}.md": ORPHAN + command(("equiproof", name), one) for name, one in tree.commands.items()}
    rows = [
        f"| [`{name}`](commands/{name}.md) | {_first(one)} |" for name, one in tree.commands.items() if not one.hidden
    ]
    text = ["# Commands", "", _paragraphs(tree.help), "", "| command | purpose |", "|---|---|", *rows]
    return {"commands.md": "\n".join([*text, ""]), **pages}


def command(words: tuple[str, ...], one: Any, level: int = 1) -> str:
    """Return the description of a command, and of those below it: usage, help, arguments and options."""
    parts = [f"{'#' * level} {' '.join(words)}", ""]
    below = getattr(one, "commands", None)
    if below is not None:
        parts += [_paragraphs(one.help), ""]
        parts += [command((*words, name), inner, level + 1) for name, inner in below.items()]
        return "\n".join(parts)
    arguments = [each for each in one.params if each.param_type_name == "argument"]
    options = [each for each in one.params if each.param_type_name == "option" and not each.hidden]
    usage = " ".join([*words, *(_placed(each) for each in arguments), *(["[OPTIONS]"] if options else [])])
    parts += ["```text", usage, "```", "", _paragraphs(one.help), ""]
    for heading, rows in (
        ("argument", [(each.human_readable_name.upper(), _help(each)) for each in arguments]),
        ("option", [(_spelled(each), _help(each)) for each in options]),
    ):
        if rows:
            parts += [f"| {heading} | meaning |", "|---|---|", *(f"| `{name}` | {text} |" for name, text in rows), ""]
    return "\n".join(parts)


def _placed(argument: Any) -> str:
    name = argument.human_readable_name.upper() + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _spelled(option: Any) -> str:
    """Return an option as it is typed, with what it takes."""
    spelled = ", ".join([*option.opts, *option.secondary_opts])
    return spelled if option.is_flag else f"{spelled} {option.metavar or option.type.name.upper()}"


def _help(parameter: Any) -> str:
    """Return what a parameter's help says, and what else is known of it."""
    text = _cell(parameter.help or "")
    notes = []
    if parameter.required and parameter.param_type_name == "option":
        notes.append("Required.")
    if getattr(parameter, "multiple", False) and "repeated" not in text:
        notes.append("May be repeated.")
    default = parameter.default
    plain = isinstance(default, (int, float, str)) and not isinstance(default, bool) and default != ""
    if plain and "Default:" not in text:
        notes.append(f"Default: {_cell(str(default))}.")
    return " ".join([text, *notes])


def _first(one: Any) -> str:
    return _cell(_paragraphs(one.help).partition("\n")[0])


def _paragraphs(text: str | None) -> str:
    return _escaped(inspect.cleandoc(text or ""))


# ---------------------------------------------------------------------------------------------------------------------
# Tables


def reasons() -> str:
    """Return the page of reasons: of what kind each is, how a command that meets it ends, and what people are shown."""
    table, policies = read("reasons"), read("policies")
    asked = {reason: name for name, row in policies.items() for reason in row["reasons"]}
    meanings = _meanings()
    rows = []
    for name, row in table["reasons"].items():
        kind = table["classes"][row["class"]]
        shown = table["shown"][row.get("shown", kind["shown"])]
        meaning = meanings.get(name) or (f"policy `{asked[name]}` is not met" if name in asked else "")
        rows.append(f"| `{name}` | {meaning} | {row['class']} | {kind['exit_code']} | `{shown}` |")
    return "\n".join([
        "# Reasons",
        "",
        "Every refusal has a reason, the same in each program that verifies; its [message](messages.md) may change.",
        "[Answers](../answers.md#reasons) explains how they are reported. This page is made from",
        "`reasons.json` and `policies.json` of `go-gnark/verify/tables`.",
        "",
        "| reason | means | class | exit code of `verify` | outcome for people |",
        "|---|---|---|---|---|",
        *rows,
        "",
    ])  # fmt: skip


def _meanings() -> dict[str, str]:
    """Return what the pages say of each reason, without their links."""
    rows: dict[str, str] = {}
    for path in sorted((ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        for block in re.findall(r"^\| reason \| (?:means|meaning) \|\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE):
            for line in block.splitlines():
                name, _, meaning = line.strip("| ").partition(" | ")
                plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", meaning)
                rows |= dict.fromkeys(re.findall(r"`([^`]+)`", name), plain)
    return rows


def messages() -> str:
    """Return the page of sentences that verifiers say, in both languages, by what they are about."""
    english, german = read("messages")["en"], read("messages")["de"]
    parts = [
        "# Messages",
        "",
        "The sentences that every program that verifies has in common, in English and German. Words in braces are",
        "filled in. This page is made from `messages.json` of `go-gnark/verify/tables`.",
        "",
    ]
    for group, names in _grouped(english):
        parts += [f"## {group}", "", "| id | English | German |", "|---|---|---|"]
        parts += [
            f"| `{name}` | {_cell(_escaped(english[name]))} | {_cell(_escaped(german[name]))} |" for name in names
        ]
        parts.append("")
    return "\n".join(parts)


def _grouped(names: dict[str, str]) -> Iterator[tuple[str, list[str]]]:
    groups: dict[str, list[str]] = {}
    for name in sorted(names):
        groups.setdefault(name.partition(".")[0], []).append(name)
    yield from groups.items()


def _cell(text: str) -> str:
    """Return a text as a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def _escaped(text: str) -> str:
    """Return a text in which nothing is markup but code between backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"([\\*_<>\[\]{}#$])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)
