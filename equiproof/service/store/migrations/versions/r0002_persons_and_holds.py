"""Whose application a decision is, who may apply once more, and what is kept or erased against its time."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
least = "0001"

NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
REFUSED = sa.text("refused_at is not null")


def upgrade() -> None:
    """Make the tables."""
    with op.batch_alter_table("heartbeats") as table:
        table.add_column(sa.Column("ended", sa.Integer))
        table.add_column(sa.Column("starved", sa.Integer))
    op.create_table(
        "persons",
        sa.Column("decision_id", sa.String(32), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("sealed", sa.LargeBinary),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("refused", sa.Integer, nullable=False),
        sa.Column("refused_at", sa.BigInteger),
        sa.ForeignKeyConstraint(["decision_id"], ["decisions.id"], name="fk_persons_decision_id_decisions"),
        sa.PrimaryKeyConstraint("decision_id", name="pk_persons"),
    )
    op.create_index("ix_persons_digest_at", "persons", ["digest", "at"])
    op.create_index("ix_persons_refused_at", "persons", ["refused_at"], postgresql_where=REFUSED, sqlite_where=REFUSED)
    op.create_table(
        "allowances",
        sa.Column("id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("decision_id", sa.String(32), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("name", sa.String(128), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(["decision_id"], ["decisions.id"], name="fk_allowances_decision_id_decisions"),
        sa.PrimaryKeyConstraint("id", name="pk_allowances"),
    )
    op.create_index("ix_allowances_decision_id", "allowances", ["decision_id"])
    op.create_table(
        "holds",
        sa.Column("id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("decision_id", sa.String(32), nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(["decision_id"], ["decisions.id"], name="fk_holds_decision_id_decisions"),
        sa.PrimaryKeyConstraint("id", name="pk_holds"),
    )
    op.create_index("ix_holds_decision_id", "holds", ["decision_id"])
    op.create_table(
        "erasures",
        sa.Column("decision_id", sa.String(32), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(["decision_id"], ["decisions.id"], name="fk_erasures_decision_id_decisions"),
        sa.PrimaryKeyConstraint("decision_id", name="pk_erasures"),
    )


def downgrade() -> None:
    """Drop them, with what they hold."""
    op.drop_table("erasures")
    op.drop_table("holds")
    op.drop_table("allowances")
    op.drop_table("persons")
    with op.batch_alter_table("heartbeats") as table:
        table.drop_column("starved")
        table.drop_column("ended")
