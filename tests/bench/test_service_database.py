"""The measurement of the service's databases runs, and measures what it says."""

import pytest

from bench import service_database
from tests.service import databases


@pytest.mark.slow
def test_both_databases_are_measured(monkeypatch):
    """Each size of each has a line of the table, with times above zero."""
    databases.refuse_or_skip()
    monkeypatch.setattr(service_database, "ASKED", 2)
    found = service_database.run(sizes=(0, 30), decided=4)
    assert [(row["database"], row["there"]) for row in found["results"]] == [
        (kind, size) for kind in ("sqlite", "postgresql") for size in (0, 30)
    ]
    for row in found["results"]:
        assert min(row[name] for name in ("decide_ms", "decide_p99_ms", "at_once_per_s", "page_ms", "due_ms")) > 0
    assert service_database.table(found).count("\n") == 1 + 4
