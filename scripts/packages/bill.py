"""The bill of materials (CycloneDX 1.6): what our packages hold or bring, with versions and licences.

Python packages are the pinned ones that verifying and proving need, npm packages those that the lock files do, and Go
modules those that are linked into the library and into the static programs. What only builds or tests is left out.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
import tomllib
import uuid
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.spdx import is_expression
from packageurl import PackageURL

from scripts.packages.modules import Module
from scripts.pin_requirements import closure

_CLASSIFIED = {
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: ISC License (ISCL)": "ISC",
    "License :: OSI Approved :: MIT License": "MIT",
}
"""Licences of packages whose metadata have no expression."""


def bill(
    sources: Path,
    linked: Iterable[Module],
    of_log: Iterable[Module],
    of_verifier: Iterable[Module],
    archives: Iterable[Path],
    moment: int,
) -> str:
    """Return the bill as JSON text, the same for the same packages.

    `linked` are the modules of the library, `of_log` those of the program that writes logs, `of_verifier` those of the
    static verifier. `archives` are the finished files of our own packages, whose hashes go in.
    """
    project, native, log = (_project(sources / folder) for folder in (".", "native", "go-log/wheel"))
    verifier, element = (
        json.loads((sources / "web" / name / "package.json").read_text(encoding="utf-8"))
        for name in ("verifier", "element")
    )
    alone = {"name": "equiproof-verify", "version": project["version"], "license": native["license"]}
    hashes = {path.name: _hash("SHA-256", hashlib.sha256(path.read_bytes()).digest()) for path in archives}
    ours = (
        ("pypi", project), ("pypi", native), ("pypi", log), ("generic", alone), ("npm", verifier), ("npm", element),
    )  # fmt: skip
    main, library, program, static, typescript, custom = (
        _component(kind, one["name"], one["version"], one["license"], hashes=_of(one, hashes)) for kind, one in ours
    )
    unicode = _component("generic", "unicode-character-database", "15.0.0", "Unicode-3.0", type=ComponentType.DATA)
    base = _python(project["dependencies"])
    proving = _python(project["optional-dependencies"]["prove"], scope=ComponentScope.OPTIONAL)
    proving = [part for part in proving if part.name not in {one.name for one in base}]
    needs = {
        main: [*base, *proving, library, program, unicode],
        library: _go(linked),
        program: _go(of_log),
        static: _go(of_verifier),
        custom: [unicode],
        typescript: [*_npm(sources), unicode],
    }
    found = Bom(
        components={part for parts in needs.values() for part in parts} | {static, custom, typescript},
        metadata=BomMetaData(component=main, timestamp=datetime.fromtimestamp(moment, UTC)),
    )
    for target, parts in needs.items():
        found.register_dependency(target, parts)
    # A number of its own for each content: two bills with one number are the same bill.
    found.serial_number = uuid.UUID(int=0)
    content = hashlib.sha256(JsonV1Dot6(found).output_as_string().encode()).digest()
    found.serial_number = uuid.UUID(bytes=content[:16], version=4)
    return JsonV1Dot6(found).output_as_string(indent=2) + "\n"


def _project(folder: Path) -> dict[str, Any]:
    """Read the metadata of one of our Python packages."""
    project: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project


def _component(kind: str, name: str, version: str, licence: str, **more: Any) -> Component:
    """Describe a package of an index (`kind`, as package URLs have it); exits with one line for an unknown licence."""
    if not is_expression(licence):
        sys.exit(f"{name}: {licence[:40]!r} is no SPDX expression of licences")
    namespace, _, short = name.rpartition("/")
    address = PackageURL(kind, namespace or None, short, version)
    licences = [LicenseFactory().make_from_string(licence)]
    return Component(name=name, version=version, licenses=licences, purl=address, bom_ref=address.to_string(), **more)


def _hash(algorithm: str, value: bytes) -> HashType:
    """Return a hash as a bill writes it."""
    return HashType(alg=HashAlgorithm(algorithm), content=value.hex())


def _of(one: Mapping[str, Any], hashes: dict[str, HashType]) -> list[HashType]:
    """Return the hash of the wheel, the npm archive or the program's archive of a package, of those that were built."""
    name, version = one["name"], one["version"]
    wheel, program = (f"{beginning}-{version}-" for beginning in (name.replace("-", "_"), name))
    packed = f"{name.removeprefix('@').replace('/', '-')}-{version}.tgz"
    archives = {
        file
        for file in hashes
        if (file.startswith(wheel) and file.endswith(".whl"))
        or (name == "equiproof-verify" and file.startswith(program))
        or file == packed
    }
    return [hashes[file] for file in sorted(archives)]


def _python(requirements: list[str], **more: Any) -> list[Component]:
    """Describe the packages that requirements need, and those that these need."""
    return [
        _component("pypi", name, version, _licence(name), **more) for name, version in closure(requirements).items()
    ]


def _licence(name: str) -> str:
    """Return the licence of an installed package by its metadata, of whichever age."""
    metadata = distribution(name).metadata
    stated = (metadata.get_all("License-Expression") or metadata.get_all("License") or [""])[0]
    classified = {_CLASSIFIED[line] for line in metadata.get_all("Classifier") or [] if line in _CLASSIFIED}
    return next(iter(classified)) if len(classified) == 1 and not is_expression(stated) else stated


def _go(linked: Iterable[Module]) -> list[Component]:
    """Describe Go modules."""
    return [_component("golang", one.path, one.version, one.licence) for one in linked]


def _npm(sources: Path) -> list[Component]:
    """Describe the npm packages that pages and programs load, by the lock files."""
    packages: dict[str, Component] = {}
    for lock in sorted((sources / "web").glob("*/package-lock.json")):
        for place, one in json.loads(lock.read_text(encoding="utf-8"))["packages"].items():
            name = place.rpartition("node_modules/")[2]
            if not place.startswith("node_modules/") or one.get("dev") or one.get("link"):
                continue
            digest = base64.b64decode(one["integrity"].removeprefix("sha512-"))
            packages[f"{name} {one['version']}"] = _component(
                "npm", name, one["version"], one["license"], hashes=[_hash("SHA-512", digest)]
            )
    return list(packages.values())
