"""The tables of the first release."""

from __future__ import annotations

from alembic import op
from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

revision = "0001"
down_revision = None
least = "0001"

UNSENT = text("done is null")
UNPROVEN = text("body is null")
NUMBER = BigInteger().with_variant(Integer, "sqlite")

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

Table(
    "schema_version",
    METADATA,
    Column("least", String(32), primary_key=True),
)
Table(
    "api_keys",
    METADATA,
    Column("id", String(16), primary_key=True),
    Column("client", String(32), nullable=False),
    Column("hash", String(64), nullable=False),
    Column("scopes", String(64), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("expires", BigInteger, nullable=False),
    Column("revoked", BigInteger),
    Index(None, "client"),
)
Table(
    "heartbeats",
    METADATA,
    Column("name", String(128), primary_key=True),
    Column("started", BigInteger, nullable=False),
    Column("beat", BigInteger, nullable=False),
)
Table(
    "models",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("name", String(64), nullable=False),
    Column("commitment", String(64), unique=True, nullable=False),
    Column("opening", Text, nullable=False),
    Column("keys", Text, nullable=False),
    Column("max_seconds", Double, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("retired", BigInteger),
    Column("entry", BigInteger),
    Column("proof", LargeBinary),
    Column("proven", BigInteger),
    Index(None, "name", "retired"),
)
Table(
    "officers",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("name", String(128), unique=True, nullable=False),
    Column("password", String(200), nullable=False),
    Column("role", String(16), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("disabled", BigInteger),
)
Table(
    "requests",
    METADATA,
    Column("client", String(32), primary_key=True),
    Column("key", String(128), primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("status", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
)
Table(
    "decisions",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("client", String(32), nullable=False),
    Column("reference", String(128)),
    Column("model_id", String(32), ForeignKey("models.id"), nullable=False),
    Column("state", String(16), nullable=False),
    Column("label", Integer),
    Column("received", BigInteger, nullable=False),
    Column("query_commitment", String(64), nullable=False),
    Column("receipt", String(64), unique=True, nullable=False),
    Column("sealed", LargeBinary),
    Column("erased", BigInteger),
    CheckConstraint("state in ('decided', 'certifying', 'certified', 'review', 'undecided', 'failed')", name="state"),
    UniqueConstraint("client", "reference"),
    Index(None, "received", "id"),
    Index(None, "client", "received", "id"),
    Index(None, "state", "received"),
)
Table(
    "logins",
    METADATA,
    Column("hash", String(64), primary_key=True),
    Column("officer_id", String(32), ForeignKey("officers.id"), index=True, nullable=False),
    Column("csrf", String(64), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("expires", BigInteger, nullable=False),
)
Table(
    "certificates",
    METADATA,
    Column("decision_id", String(32), ForeignKey("decisions.id"), primary_key=True),
    Column("body", LargeBinary, nullable=False),
    Column("key_fingerprint", String(64), nullable=False),
    Column("radius_squared", String(64), nullable=False),
    Column("made", BigInteger, nullable=False),
    Column("entry", BigInteger),
    Column("proof", LargeBinary),
)
Table(
    "findings",
    METADATA,
    Column("decision_id", String(32), ForeignKey("decisions.id"), primary_key=True),
    Column("sealed", LargeBinary),
    Column("made", BigInteger, nullable=False),
)
Table(
    "letters",
    METADATA,
    Column("decision_id", String(32), ForeignKey("decisions.id"), primary_key=True),
    Column("language", String(8), primary_key=True),
    Column("sealed", LargeBinary),
    Column("digest", String(64), nullable=False),
    Column("made", BigInteger, nullable=False),
)
Table(
    "links",
    METADATA,
    Column("hash", String(64), primary_key=True),
    Column("decision_id", String(32), ForeignKey("decisions.id"), index=True, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("expires", BigInteger, nullable=False),
    Column("revoked", BigInteger),
)
Table(
    "log_proofs",
    METADATA,
    Column("decision_id", String(32), ForeignKey("decisions.id"), primary_key=True),
    Column("entry", BigInteger, nullable=False),
    Column("body", LargeBinary),
    Column("at", BigInteger, nullable=False),
    Index(None, "at", "entry", postgresql_where=UNPROVEN, sqlite_where=UNPROVEN),
)
Table(
    "outbox",
    METADATA,
    Column("id", NUMBER, primary_key=True, autoincrement=True),
    Column("kind", String(16), nullable=False),
    Column("decision_id", String(32), ForeignKey("decisions.id"), index=True, nullable=False),
    Column("target", String(64), nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("due", BigInteger, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("done", BigInteger),
    Index(None, "kind", "id", postgresql_where=UNSENT, sqlite_where=UNSENT),
)
Table(
    "overrides",
    METADATA,
    Column("id", NUMBER, primary_key=True, autoincrement=True),
    Column("decision_id", String(32), ForeignKey("decisions.id"), index=True, nullable=False),
    Column("label", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Column("name", String(128), nullable=False),
    Column("at", BigInteger, nullable=False),
)
Table(
    "transitions",
    METADATA,
    Column("id", NUMBER, primary_key=True, autoincrement=True),
    Column("decision_id", String(32), ForeignKey("decisions.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("reason", String(200), nullable=False),
    Index(None, "decision_id", "number", unique=True),
)


def upgrade() -> None:
    """Make them."""
    METADATA.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    """Drop them, with what they hold."""
    METADATA.drop_all(op.get_bind(), checkfirst=False)
