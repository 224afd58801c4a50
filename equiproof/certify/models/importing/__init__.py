"""Import of foreign models: read, bound to a spec by name, and converted to exact fractions or refused."""

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
