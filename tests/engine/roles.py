"""A role store with content, put there beside the engine: nothing publishes into roles yet."""

from datetime import timedelta

from privity.engine.audit import Noted, record_of
from privity.engine.records import ActivateCommit, PolicyClass, RevisionRecord, StoreRecord
from privity.engine.snapshot import take
from privity.model.audiences import Audience, AudienceKind
from privity.model.audit import AuditKind
from privity.model.canonical import fingerprint
from privity.model.ids import PolicyId, PolicyRevision, ResourceId, RevisionId, RevocationEpoch, StoreId
from privity.model.operations import Operation
from privity.model.policies import Policy, PolicyState
from privity.model.resources import Anonymity, Lifetime, Lineage, Origin, RevisionState, Section, TrustClass
from privity.model.stores import StoreFacts, StoreKind, StoreState
from tests.engine.desk import AGENT, Desk, dm, person


def fill_role(desk: Desk, role: str, text: str, *, trust: TrustClass = TrustClass.SYSTEM) -> RevisionId:
    """Put one note into the store of a role, made if it is new."""
    return fill(desk, StoreKind.ROLE, Audience(kind=AudienceKind.ROLE, id=role), text, trust=trust)


def place_card(desk: Desk, name: str, text: str) -> RevisionId:
    """Put an entry on a person's card, past whatever the engine would say of it."""
    audience = Audience(kind=AudienceKind.USER, id=person(name))
    return fill(desk, StoreKind.USER, audience, text, section=Section.CARD)


def fill(
    desk: Desk,
    kind: StoreKind,
    audience: Audience,
    text: str,
    *,
    trust: TrustClass = TrustClass.SYSTEM,
    lifetime: timedelta | None = None,
    section: Section = Section.NOTE,
) -> RevisionId:
    """Put one note into the store of this kind and audience, made if it is new."""
    store = place(desk, kind, audience)
    revision_id = RevisionId(desk.entropy.token("rev"))
    artifacts = desk.backend.artifacts
    staged = artifacts.stage(AGENT, store.path_key, section, revision_id, text.encode())
    done = artifacts.finalize(staged)
    policy_class = PolicyClass(
        class_id=f"cls_{store.policy_id}",
        own_policy_ids=(store.policy_id,),
        inherited_policy_ids=(),
        anonymity=Anonymity.IDENTIFIED_ONLY,
    )
    context = desk.context(dm("filler"), Operation.READ)
    snapshot = take(desk.parts, context, fingerprint(context))
    desk.backend.revisions.activate(
        ActivateCommit(
            expected=desk.backend.stores.authority(AGENT),
            revision=RevisionRecord(
                agent_id=AGENT,
                store_id=store.facts.store_id,
                resource_id=ResourceId(desk.entropy.token("res")),
                revision_id=revision_id,
                number=1,
                state=RevisionState.ACTIVE,
                lineage=Lineage.INTACT,
                content_hash=done.content_hash,
                size=done.size,
                section=section,
                anonymity=Anonymity.IDENTIFIED_ONLY,
                class_id=policy_class.class_id,
                origin=Origin(trust=trust, author_id=None, event_id=None),
                about=(),
                lifetime=Lifetime(
                    recorded_at=desk.clock.now(),
                    expires_at=None if lifetime is None else desk.clock.now() + lifetime,
                ),
                own_policy_ids=policy_class.own_policy_ids,
                requirements=(),
                parents=(),
                change=0,
            ),
            policy_class=policy_class,
            record=record_of(desk.parts, snapshot, Noted(kind=AuditKind.WRITE, operation=Operation.PUBLISH)),
        )
    )
    return revision_id


def place(desk: Desk, kind: StoreKind, audience: Audience) -> StoreRecord:
    """Return the store of this kind and audience, made if it is new."""
    found = desk.backend.stores.find_stores(AGENT, [(kind, audience)])
    if found:
        return found[0]
    policy = Policy(
        policy_id=PolicyId(desk.entropy.token("pol")),
        policy_revision=PolicyRevision(1),
        revocation_epoch=RevocationEpoch(0),
        state=PolicyState.ACTIVE,
        audience=audience,
        rules=(),
    )
    facts = StoreFacts(
        agent_id=AGENT,
        store_id=StoreId(desk.entropy.token("sto")),
        kind=kind,
        audience=audience,
        state=StoreState.ACTIVE,
    )
    record = StoreRecord(
        facts=facts,
        policy_id=policy.policy_id,
        path_key=desk.backend.artifacts.make_root(AGENT),
        created_at=desk.clock.now(),
    )
    return desk.backend.stores.add_store(record, policy)
