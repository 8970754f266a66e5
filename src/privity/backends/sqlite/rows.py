"""Rows of the catalog as values, and values as what the statements bind."""

from collections.abc import Callable, Iterable

from privity.backends.sqlite import codec, queries
from privity.backends.sqlite.database import Bindings, Database, Row
from privity.engine.ports import MovedError
from privity.engine.records import Authority, PolicyClass, RevisionRecord, StoreRecord
from privity.model.audiences import Audience, AudienceKind
from privity.model.audit import AuditRecord
from privity.model.ids import (
    AgentId,
    AuthorityRevision,
    ContentHash,
    EventId,
    HostFactsRevision,
    PolicyId,
    PolicyRevision,
    PrincipalId,
    ResourceId,
    RevisionId,
    RevocationEpoch,
    StoreId,
)
from privity.model.policies import Policy, PolicyState, Requirement, Rule
from privity.model.resources import (
    Anonymity,
    Lifetime,
    Lineage,
    Origin,
    ResourceSubject,
    RevisionState,
    Section,
    TrustClass,
)
from privity.model.stores import StoreFacts, StoreKind, StoreState

load_rules: Callable[[str], tuple[Rule, ...]] = codec.loader(tuple[Rule, ...])
load_policy_ids: Callable[[str], tuple[PolicyId, ...]] = codec.loader(tuple[PolicyId, ...])
load_subjects: Callable[[str], tuple[ResourceSubject, ...]] = codec.loader(tuple[ResourceSubject, ...])
load_requirements: Callable[[str], tuple[Requirement, ...]] = codec.loader(tuple[Requirement, ...])
load_parents: Callable[[str], tuple[RevisionId, ...]] = codec.loader(tuple[RevisionId, ...])


def load_authority(database: Database, agent_id: AgentId) -> Authority:
    """Return the cell's authority; that of a new cell where there is none."""
    row = database.row(queries.LOAD_AUTHORITY, {"agent_id": agent_id}) or (0, 0)
    return Authority(authority_revision=AuthorityRevision(row[0]), host_facts_revision=HostFactsRevision(row[1]))


def expect(database: Database, agent_id: AgentId, expected: Authority) -> None:
    """Raise `MovedError` unless the authority is still the one expected."""
    if load_authority(database, agent_id) != expected:
        raise MovedError("the authority of the cell has moved on")


def expect_readable(database: Database, agent_id: AgentId, ids: Iterable[RevisionId]) -> None:
    """Raise `MovedError` unless every one of `ids` is active with its lineage intact."""
    for revision_id in ids:
        row = database.row(queries.FIND_STANDING, {"agent_id": agent_id, "revision_id": revision_id})
        if row is None or row[1] != RevisionState.ACTIVE or row[2] != Lineage.INTACT:
            raise MovedError("a revision relied on is not readable any more")


def log(database: Database, agent_id: AgentId, record: AuditRecord, encoded: str) -> None:
    """Number an encoded record and keep it."""
    sequence = returned(database.row(queries.NEXT_SEQUENCE, {"agent_id": agent_id}))
    database.run(queries.ADD_RECORD, {"sequence": sequence, "decision_id": record.decision_id, "record": encoded})


def returned(row: Row | None) -> int:
    """Return the number that a statement returns for the one row it changes."""
    if row is None:
        raise MovedError("the row is not there")
    return int(row[0])


def next_change(database: Database, agent_id: AgentId, store_id: StoreId) -> int:
    """Count a change of the store and return its number."""
    return returned(database.row(queries.NEXT_CHANGE, {"agent_id": agent_id, "store_id": store_id}))


def change_revision(
    database: Database,
    agent_id: AgentId,
    store_id: StoreId,
    revision_id: RevisionId,
    *,
    state: RevisionState | None = None,
    lineage: Lineage | None = None,
) -> None:
    """Change a revision under its store's next change number."""
    change = next_change(database, agent_id, store_id)
    database.run(
        queries.CHANGE_REVISION,
        {"agent_id": agent_id, "revision_id": revision_id, "state": state, "lineage": lineage, "change": change},
    )


def store_bindings(store: StoreRecord) -> Bindings:
    """Return what identifies and describes a store."""
    return {
        "agent_id": store.facts.agent_id,
        "store_id": store.facts.store_id,
        "kind": store.facts.kind,
        "audience_kind": store.facts.audience.kind,
        "audience_id": store.facts.audience.id,
        "state": store.facts.state,
        "policy_id": store.policy_id,
        "path_key": store.path_key,
        "created_at": codec.to_micros(store.created_at),
    }


def store_of(row: Row, agent_id: AgentId, kind: StoreKind, audience: Audience) -> StoreRecord:
    """Return the store that `queries.FIND_STORE` found."""
    store_id, state, policy_id, path_key, created_at = row
    return StoreRecord(
        facts=StoreFacts(
            agent_id=agent_id,
            store_id=StoreId(store_id),
            kind=kind,
            audience=audience,
            state=StoreState(state),
        ),
        policy_id=PolicyId(policy_id),
        path_key=path_key,
        created_at=codec.from_micros(created_at),
    )


def policy_bindings(policy: Policy) -> Bindings:
    """Return the columns of a policy."""
    return {
        "policy_id": policy.policy_id,
        "policy_revision": policy.policy_revision,
        "revocation_epoch": policy.revocation_epoch,
        "state": policy.state,
        "audience_kind": policy.audience.kind,
        "audience_id": policy.audience.id,
        "rules": codec.dump(policy.rules, tuple[Rule, ...]),
    }


def policy_of(row: Row) -> Policy:
    """Return the policy that `queries.LOAD_POLICY` found."""
    policy_id, policy_revision, revocation_epoch, state, audience_kind, audience_id, rules = row
    return Policy(
        policy_id=PolicyId(policy_id),
        policy_revision=PolicyRevision(policy_revision),
        revocation_epoch=RevocationEpoch(revocation_epoch),
        state=PolicyState(state),
        audience=Audience(kind=AudienceKind(audience_kind), id=audience_id),
        rules=load_rules(rules),
    )


def class_bindings(policy_class: PolicyClass) -> Bindings:
    """Return the columns of a policy class."""
    return {
        "class_id": policy_class.class_id,
        "own_policy_ids": codec.dump(policy_class.own_policy_ids, tuple[PolicyId, ...]),
        "inherited_policy_ids": codec.dump(policy_class.inherited_policy_ids, tuple[PolicyId, ...]),
        "anonymity": policy_class.anonymity,
    }


def class_of(row: Row) -> PolicyClass:
    """Return the policy class that `queries.LOAD_CLASS` found."""
    class_id, own_policy_ids, inherited_policy_ids, anonymity = row
    return PolicyClass(
        class_id=class_id,
        own_policy_ids=load_policy_ids(own_policy_ids),
        inherited_policy_ids=load_policy_ids(inherited_policy_ids),
        anonymity=Anonymity(anonymity),
    )


def revision_bindings(revision: RevisionRecord) -> Bindings:
    """Return the columns of a revision."""
    return {
        "agent_id": revision.agent_id,
        "store_id": revision.store_id,
        "resource_id": revision.resource_id,
        "revision_id": revision.revision_id,
        "number": revision.number,
        "state": revision.state,
        "lineage": revision.lineage,
        "content_hash": revision.content_hash,
        "size": revision.size,
        "section": revision.section,
        "anonymity": revision.anonymity,
        "class_id": revision.class_id,
        "trust": revision.origin.trust,
        "author_id": revision.origin.author_id,
        "event_id": revision.origin.event_id,
        "about": codec.dump(revision.about, tuple[ResourceSubject, ...]),
        "recorded_at": codec.to_micros(revision.lifetime.recorded_at),
        "expires_at": codec.optional_micros(revision.lifetime.expires_at),
        "own_policy_ids": codec.dump(revision.own_policy_ids, tuple[PolicyId, ...]),
        "requirements": codec.dump(revision.requirements, tuple[Requirement, ...]),
        "parents": codec.dump(revision.parents, tuple[RevisionId, ...]),
        "change": revision.change,
    }


def revision_of(row: Row) -> RevisionRecord:
    """Return the revision in a row of `queries.LOAD_REVISION` and of the lists."""
    return RevisionRecord(
        agent_id=AgentId(row[0]),
        store_id=StoreId(row[1]),
        resource_id=ResourceId(row[2]),
        revision_id=RevisionId(row[3]),
        number=row[4],
        state=RevisionState(row[5]),
        lineage=Lineage(row[6]),
        content_hash=ContentHash(row[7]),
        size=row[8],
        section=Section(row[9]),
        anonymity=Anonymity(row[10]),
        class_id=row[11],
        origin=Origin(
            trust=TrustClass(row[12]),
            author_id=None if row[13] is None else PrincipalId(row[13]),
            event_id=None if row[14] is None else EventId(row[14]),
        ),
        about=load_subjects(row[15]),
        lifetime=Lifetime(recorded_at=codec.from_micros(row[16]), expires_at=codec.optional_time(row[17])),
        own_policy_ids=load_policy_ids(row[18]),
        requirements=load_requirements(row[19]),
        parents=load_parents(row[20]),
        change=row[21],
    )
