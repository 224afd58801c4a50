"""Persons and what is kept, erased, corrected or changed for them; trail and sign-on; processes and attempts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
least = "0001"

NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
REFUSED = sa.text("refused_at is not null")
WAITING = sa.text("stage = 'waiting'")
DEPENDENT = sa.text("outcome = 'dependent'")

SQLITE_GUARDS = """
create trigger trail_unchanged before update on trail begin select raise(abort, 'trail: lines are only added'); end
---
create trigger trail_kept before delete on trail
when old.number > (select coalesce(max(cast(about as integer)), 0) from trail where act = 'prune')
begin select raise(abort, 'trail: lines are only added'); end
"""

POSTGRES_GUARDS = """
create function trail_refused() returns trigger language plpgsql as $$
begin raise exception 'trail: lines are only added'; end $$
---
create function trail_pruned() returns trigger language plpgsql as $$
begin
if old.number > (select coalesce(max(cast(about as bigint)), 0) from trail where act = 'prune')
then raise exception 'trail: lines are only added'; end if;
return old;
end $$
---
create trigger trail_unchanged before update on trail for each row execute function trail_refused()
---
create trigger trail_emptied before truncate on trail for each statement execute function trail_refused()
---
create trigger trail_kept before delete on trail for each row execute function trail_pruned()
"""

GUARDS = {"sqlite": SQLITE_GUARDS.split("---"), "postgresql": POSTGRES_GUARDS.split("---")}
"""What keeps lines as they are, but those that a line of the act `prune` names."""


def upgrade() -> None:
    """Make the tables."""
    with op.batch_alter_table("heartbeats") as table:
        table.add_column(sa.Column("starved", sa.Integer))
    op.add_column("decisions", sa.Column("request", sa.String(16)))
    op.add_column("decisions", sa.Column("trace", sa.String(55)))
    op.create_table(
        "process_numbers",
        sa.Column("name", sa.String(128), nullable=False),
        sa.Column("seen", sa.BigInteger, nullable=False),
        sa.Column("numbers", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_process_numbers"),
    )
    op.create_table(
        "attempts",
        sa.Column("decision_id", sa.String(32), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("worker", sa.String(128)),
        sa.Column("begun", sa.BigInteger),
        sa.Column("forecast", sa.Double),
        sa.Column("wish", sa.String(16)),
        sa.ForeignKeyConstraint(["decision_id"], ["decisions.id"], name="fk_attempts_decision_id_decisions"),
        sa.PrimaryKeyConstraint("decision_id", name="pk_attempts"),
    )
    op.create_index("ix_attempts_worker", "attempts", ["worker"])
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
        "correction_requests",
        sa.Column("decision_id", sa.String(32), nullable=False),
        sa.Column("asked", sa.String(10), nullable=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("name", sa.String(128), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("channel", sa.String(16), nullable=False),
        sa.Column("actor", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(["decision_id"], ["decisions.id"], name="fk_correction_requests_decision_id_decisions"),
        sa.PrimaryKeyConstraint("decision_id", name="pk_correction_requests"),
    )
    op.create_table(
        "corrections",
        sa.Column("decision_id", sa.String(32), nullable=False),
        sa.Column("second_id", sa.String(32), nullable=False),
        sa.Column("changed", sa.Text, nullable=False),
        sa.Column("way", sa.Integer),
        sa.Column("name", sa.String(128), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("channel", sa.String(16), nullable=False),
        sa.Column("actor", sa.String(32), nullable=False),
        sa.ForeignKeyConstraint(
            ["decision_id"],
            ["correction_requests.decision_id"],
            name="fk_corrections_decision_id_correction_requests",
        ),
        sa.ForeignKeyConstraint(["second_id"], ["decisions.id"], name="fk_corrections_second_id_decisions"),
        sa.PrimaryKeyConstraint("decision_id", name="pk_corrections"),
        sa.UniqueConstraint("second_id", name="uq_corrections_second_id"),
    )
    op.create_table(
        "recourses",
        sa.Column("decision_id", sa.String(32), nullable=False),
        sa.Column("stage", sa.String(16), nullable=False),
        sa.Column("asked", sa.BigInteger, nullable=False),
        sa.Column("sealed", sa.LargeBinary),
        sa.Column("ended", sa.BigInteger),
        sa.Column("outcome", sa.String(16)),
        sa.Column("reason", sa.String(200), nullable=False),
        sa.Column("ways", sa.Integer, nullable=False),
        sa.Column("released", sa.BigInteger),
        sa.Column("released_by", sa.String(128)),
        sa.Column("answer", sa.Text),
        sa.Column("answered", sa.BigInteger),
        sa.Column("answered_by", sa.String(128)),
        sa.ForeignKeyConstraint(["decision_id"], ["decisions.id"], name="fk_recourses_decision_id_decisions"),
        sa.PrimaryKeyConstraint("decision_id", name="pk_recourses"),
    )
    op.create_index("ix_recourses_asked", "recourses", ["asked"], postgresql_where=WAITING, sqlite_where=WAITING)
    op.create_index("ix_recourses_ended", "recourses", ["ended"], postgresql_where=DEPENDENT, sqlite_where=DEPENDENT)
    op.create_table(
        "recourse_letters",
        sa.Column("decision_id", sa.String(32), nullable=False),
        sa.Column("language", sa.String(8), nullable=False),
        sa.Column("sealed", sa.LargeBinary),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("made", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(
            ["decision_id"], ["recourses.decision_id"], name="fk_recourse_letters_decision_id_recourses"
        ),
        sa.PrimaryKeyConstraint("decision_id", "language", name="pk_recourse_letters"),
    )
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
    with op.batch_alter_table("overrides") as table:
        table.add_column(sa.Column("channel", sa.String(16)))
        table.add_column(sa.Column("actor", sa.String(32)))
    with op.batch_alter_table("officers") as table:
        table.add_column(sa.Column("issuer", sa.String(200)))
        table.add_column(sa.Column("subject", sa.String(255)))
        table.create_unique_constraint("uq_officers_issuer_subject", ["issuer", "subject"])
    op.create_table(
        "sign_ons",
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("state", sa.String(64), nullable=False),
        sa.Column("nonce", sa.String(64), nullable=False),
        sa.Column("verifier", sa.String(64), nullable=False),
        sa.Column("then", sa.String(200), nullable=False),
        sa.Column("language", sa.String(2), nullable=False),
        sa.Column("before", sa.String(64), nullable=False),
        sa.Column("expires", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_sign_ons"),
    )
    op.create_table(
        "officer_keys",
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("officer_id", sa.String(32), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("credential", sa.LargeBinary, nullable=False),
        sa.Column("public_key", sa.LargeBinary, nullable=False),
        sa.Column("count", sa.BigInteger, nullable=False),
        sa.Column("added", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(["officer_id"], ["officers.id"], name="fk_officer_keys_officer_id_officers"),
        sa.PrimaryKeyConstraint("hash", name="pk_officer_keys"),
    )
    op.create_index("ix_officer_keys_officer_id", "officer_keys", ["officer_id"])
    op.create_table(
        "key_steps",
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("officer_id", sa.String(32), nullable=False),
        sa.Column("purpose", sa.String(8), nullable=False),
        sa.Column("challenge", sa.String(64), nullable=False),
        sa.Column("then", sa.String(200), nullable=False),
        sa.Column("expires", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(["officer_id"], ["officers.id"], name="fk_key_steps_officer_id_officers"),
        sa.PrimaryKeyConstraint("hash", name="pk_key_steps"),
    )
    op.create_index("ix_key_steps_officer_id", "key_steps", ["officer_id"])
    op.create_table(
        "trail",
        sa.Column("number", NUMBER, autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("act", sa.String(32), nullable=False),
        sa.Column("channel", sa.String(16), nullable=False),
        sa.Column("actor", sa.String(64), nullable=False),
        sa.Column("about", sa.String(64), nullable=False),
        sa.Column("detail", sa.String(200), nullable=False),
        sa.Column("address", sa.String(32), nullable=False),
        sa.Column("before", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_trail"),
    )
    op.create_index("ix_trail_at", "trail", ["at"])
    op.create_index("ix_trail_about", "trail", ["about"])
    for statement in GUARDS[op.get_bind().dialect.name]:
        op.execute(statement)


def downgrade() -> None:
    """Drop them, with what they hold."""
    op.drop_table("trail")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("drop function trail_refused(), trail_pruned()")
    op.drop_table("key_steps")
    op.drop_table("officer_keys")
    op.drop_table("sign_ons")
    with op.batch_alter_table("officers") as table:
        table.drop_constraint("uq_officers_issuer_subject", type_="unique")
        table.drop_column("subject")
        table.drop_column("issuer")
    with op.batch_alter_table("overrides") as table:
        table.drop_column("actor")
        table.drop_column("channel")
    op.drop_table("erasures")
    op.drop_table("holds")
    op.drop_table("recourse_letters")
    op.drop_table("recourses")
    op.drop_table("corrections")
    op.drop_table("correction_requests")
    op.drop_table("allowances")
    op.drop_table("persons")
    op.drop_table("attempts")
    op.drop_table("process_numbers")
    op.drop_column("decisions", "trace")
    op.drop_column("decisions", "request")
    with op.batch_alter_table("heartbeats") as table:
        table.drop_column("starved")
