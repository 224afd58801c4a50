"""Import of models that were made elsewhere: read, bound to a spec by name, and taken over exactly or refused."""

from certify.importing.bind import column_names
from certify.importing.domains import Domain, domain_spec, parse_domain, read_domain
from certify.importing.errors import ModelImportError
from certify.importing.imported import Imported, import_model
from certify.importing.reading import read_model
from certify.importing.source import Source

__all__ = [
    "Domain",
    "Imported",
    "ModelImportError",
    "Source",
    "column_names",
    "domain_spec",
    "import_model",
    "parse_domain",
    "read_domain",
    "read_model",
]
