"""Write examples/clients: the service's OpenAPI document, and a client in Python and one in TypeScript made from it.

Both clients use their language's own library alone, and are short enough to read: copy one, or give openapi.json to a
generator of your own. Run `python scripts/clients.py` after a change of the interface; a test compares.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from keyword import iskeyword
from pathlib import Path
from typing import Any, cast

from equiproof.service.decisions import Holders
from equiproof.service.jobs.port import Jobs
from equiproof.service.models import Models
from equiproof.service.settings import LenderSettings, Settings
from equiproof.service.store.database import Database
from equiproof.service.vault import Vault
from equiproof.service.web.app import create_app
from equiproof.service.web.state import Shared

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "clients"
TEMPLATES = Path(__file__).resolve().parent / "client_templates"
SUCCESSES = ("200", "201", "204")
PYTHON = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
TYPESCRIPT = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}

Json = dict[str, Any]


def main() -> None:
    """Write every file anew."""
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


def files() -> dict[str, str]:
    """Return the files by name."""
    found = document()
    return {
        "openapi.json": json.dumps(found, indent=1, sort_keys=True) + "\n",
        "equiproof_client.py": _formatted(
            _filled("equiproof_client.py.in", _python_types(found), _python_methods(found))
        ),
        "equiproof-client.ts": _filled("equiproof-client.ts.in", _script_types(found), _script_methods(found)),
    }


def document() -> Json:
    """Return the service's OpenAPI document; nothing is opened for it."""
    database = Database("sqlite:///never-opened.db")
    holders = Holders(Vault({"none": bytes(32)}), cast("Jobs", None))
    settings = Settings(vault="", lender=LenderSettings(""))
    shared = Shared(settings, database, Models(), holders, lambda: 0)
    return create_app(shared).openapi()


@dataclass(frozen=True)
class Parameter:
    """What a request takes besides its body: its name on the wire, where it stands, and its schema."""

    wire: str
    place: str
    schema: Json
    required: bool

    @property
    def name(self) -> str:
        """The name in Python."""
        return re.sub(r"\W", "_", self.wire).lower()

    @property
    def camel(self) -> str:
        """The name in TypeScript."""
        return re.sub("_([a-z])", lambda match: match.group(1).upper(), self.name)


@dataclass(frozen=True)
class Operation:
    """One operation; `answer` is the schema of its JSON, None for bytes, and {} for nothing."""

    name: str
    method: str
    path: str
    says: str
    parameters: list[Parameter]
    body: Json | None
    answer: Json | None

    def at(self, *places: str) -> list[Parameter]:
        """Return the parameters of these places, those of the path in its order."""
        return sorted((one for one in self.parameters if one.place in places), key=self._place)

    def _place(self, one: Parameter) -> int:
        return self.path.find(f"{{{one.wire}}}") if one.place == "path" else 0


def operations(found: Json) -> Iterator[Operation]:
    """Yield the operations in the document's order."""
    for path, item in found["paths"].items():
        for method, one in item.items():
            parameters = [
                Parameter(each["name"], each["in"], each["schema"], each.get("required", False))
                for each in one.get("parameters", [])
            ]
            body = one.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            says = one["description"].replace("`", "").partition("\n")[0]
            answer = next(one["responses"][status] for status in SUCCESSES if status in one["responses"])
            yield Operation(one["operationId"], method.upper(), path, says, parameters, body, _answer(answer))


def _answer(response: Json) -> Json | None:
    if "content" not in response:
        return {}
    schema: Json = response["content"].get("application/json", {}).get("schema", {})
    return schema if "$ref" in schema else None


def _values(schema: Json) -> Any:
    """Return the schema of an object's values, True where they may be anything."""
    return next(iter(schema.get("patternProperties", {}).values()), schema.get("additionalProperties", True))


def _python(schema: Json) -> str:
    """Return a type in Python."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_python(one) for one in schema["anyOf"]))
    if "enum" in schema:
        return f"Literal[{', '.join(json.dumps(one) for one in schema['enum'])}]"
    if schema.get("type") == "array":
        return f"list[{_python(schema['items'])}]"
    if schema.get("type") == "object":
        inner = _values(schema)
        return f"dict[str, {'Any' if inner is True else _python(inner)}]"
    return PYTHON[schema["type"]]


def _script(schema: Json) -> str:
    """Return a type in TypeScript."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_script(one) for one in schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(json.dumps(one) for one in schema["enum"])
    if schema.get("type") == "array":
        return f"({_script(schema['items'])})[]"
    if schema.get("type") == "object":
        inner = _values(schema)
        return f"Record<string, {'unknown' if inner is True else _script(inner)}>"
    return TYPESCRIPT[schema["type"]]


def _schemas(found: Json) -> Iterator[tuple[str, Json]]:
    """Yield the named types that requests and answers have, what others are made of first."""
    every: Json = found["components"]["schemas"]
    named = {name for name in every if name not in ("HTTPValidationError", "Problem", "ValidationError")}
    while named:
        ready = sorted(
            name for name in named if not named - {name} & set(re.findall(r'/(\w+)"', json.dumps(every[name])))
        )
        for name in ready or sorted(named):
            yield name, every[name]
        named -= set(ready or named)


def _python_types(found: Json) -> str:
    blocks = []
    for name, schema in _schemas(found):
        says = schema.get("description", name).replace("`", "")
        says += "\n    " if "\n" in says else ""
        if "enum" in schema:
            blocks.append(f"{name} = {_python(schema)}")
            continue
        needed = schema.get("required", [])
        kinds = {
            key: kind if key in needed else f"NotRequired[{kind}]"
            for key, kind in ((key, _python(value)) for key, value in schema["properties"].items())
        }
        if any(map(iskeyword, kinds)):  # which no class can have
            fields = ", ".join(f'"{key}": {kind}' for key, kind in kinds.items())
            blocks.append(f'{name} = TypedDict("{name}", {{{fields}}})\n"""{says.rstrip(" ")}"""')
            continue
        lines = [f"class {name}(TypedDict):", f'    """{says}"""', ""]
        blocks.append("\n".join([*lines, *(f"    {key}: {kind}" for key, kind in kinds.items())]))
    return "\n\n\n".join(blocks)


def _script_types(found: Json) -> str:
    blocks = []
    for name, schema in _schemas(found):
        if "enum" in schema:
            blocks.append(f"export type {name} = {_script(schema)};")
            continue
        lines = [f"/** {schema.get('description', name).replace('`', '')} */", f"export interface {name} {{"]
        for key, value in schema["properties"].items():
            lines.append(f"  {key}{'' if key in schema.get('required', []) else '?'}: {_script(value)};")
        blocks.append("\n".join([*lines, "}"]))
    return "\n\n".join(blocks)


def _python_methods(found: Json) -> str:
    return "\n\n".join(_python_method(one) for one in operations(found))


def _python_method(one: Operation) -> str:
    arguments = [f"{each.name}: str" for each in one.at("path")]
    arguments += [f"body: {_python(one.body)}"] if one.body else []
    extra = [
        f"{each.name}: {_python(each.schema)}{'' if each.required else _python_default(each)}"
        for each in one.at("header", "query")
    ]
    arguments += ["*", *extra] if extra else []
    kind = "bytes" if one.answer is None else _python(one.answer) if one.answer else "None"
    path = re.sub(r"\{(\w+)\}", r"{_part(\1)}", one.path)
    query, headers = (
        "{" + ", ".join(f'"{each.wire}": {each.name}' for each in one.at(place)) + "}" for place in ("query", "header")
    )
    given = f'"{one.method}", {"f" if "{" in path else ""}"{path}", {query}, {headers}{", body" if one.body else ""}'
    lines = [f"    def {one.name}(self, {', '.join(arguments)}) -> {kind}:", f'        """{one.says}"""']
    if one.answer is None:
        lines.append(f"        return self._send({given})")
    elif one.answer:
        lines += [f"        answer: {kind} = json.loads(self._send({given}))", "        return answer"]
    else:
        lines.append(f"        self._send({given})")
    return "\n".join(lines).replace("(self, )", "(self)")


def _python_default(each: Parameter) -> str:
    none = "" if "None" in _python(each.schema) else " | None"
    return f"{none} = None"


def _script_methods(found: Json) -> str:
    return "\n\n".join(_script_method(one) for one in operations(found))


def _script_method(one: Operation) -> str:
    arguments = [f"{each.camel}: string" for each in one.at("path")]
    arguments += [f"body: {_script(one.body)}"] if one.body else []
    extra = one.at("header", "query")
    if extra:
        needed = any(each.required for each in extra)
        inner = "; ".join(f"{each.camel}{'' if each.required else '?'}: {_script(each.schema)}" for each in extra)
        arguments.append(f"options: {{ {inner} }}{'' if needed else ' = {}'}")
    kind = "Uint8Array" if one.answer is None else _script(one.answer) if one.answer else "void"
    path = re.sub(r"\{(\w+)\}", lambda match: f"${{part({Parameter(match.group(1), '', {}, True).camel})}}", one.path)
    query, headers = (
        "{ " + ", ".join(f'"{each.wire}": options.{each.camel}' for each in one.at(place)) + " }"
        for place in ("query", "header")
    )
    given = f'"{one.method}", `{path}`, {query}, {headers}{", body" if one.body else ""}'.replace("{  }", "{}")
    lines = [
        f"  /** {one.says} */",
        f"  async {one.name.replace('_l', 'L')}({', '.join(arguments)}): Promise<{kind}> {{",
    ]
    if one.answer is None:
        lines.append(f"    return this.send({given});")
    elif one.answer:
        lines.append(f"    return JSON.parse(new TextDecoder().decode(await this.send({given}))) as {kind};")
    else:
        lines.append(f"    await this.send({given});")
    return "\n".join([*lines, "  }"])


def _formatted(text: str) -> str:
    """Return Python code in the project's form."""
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(FOLDER / "equiproof_client.py"), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def _filled(template: str, types: str, methods: str) -> str:
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    return text.replace("@TYPES@", types).replace("@METHODS@", methods)


if __name__ == "__main__":
    main()
