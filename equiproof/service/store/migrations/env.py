"""What alembic runs to change tables: on the connection, and in the transaction, that `migrations` gives it."""

from __future__ import annotations

from alembic import context

from equiproof.service.store.tables import Table


def run() -> None:
    """Change the tables of the connection."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=Table.metadata,
        # SQLite can drop no column that a constraint names: the table is written anew.
        render_as_batch=True,
    )
    context.run_migrations()


# The name under which alembic, and nobody else, loads this file.
if __name__ == "env_py":
    run()
