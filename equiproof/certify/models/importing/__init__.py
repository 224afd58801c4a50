"""Import of foreign models: read, bound to a spec by name, and converted to exact fractions or refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equiproof.lazy import lazily

if TYPE_CHECKING:
    from equiproof.certify.models.importing.bind import column_names
    from equiproof.certify.models.importing.domains import Domain, domain_spec, parse_domain, read_domain
    from equiproof.certify.models.importing.errors import ModelImportError
    from equiproof.certify.models.importing.imported import Imported, bound_network
    from equiproof.certify.models.importing.reading import read_model
    from equiproof.certify.models.importing.source import Source

__all__ = [
    "Domain",
    "Imported",
    "ModelImportError",
    "Source",
    "bound_network",
    "column_names",
    "domain_spec",
    "parse_domain",
    "read_domain",
    "read_model",
]

_MODULES = {
    "Domain": "domains",
    "Imported": "imported",
    "ModelImportError": "errors",
    "Source": "source",
    "bound_network": "imported",
    "column_names": "bind",
    "domain_spec": "domains",
    "parse_domain": "domains",
    "read_domain": "domains",
    "read_model": "reading",
}

if not TYPE_CHECKING:  # a type checker would otherwise accept any name
    __getattr__, __dir__ = lazily(__name__, _MODULES)
