"""The postfilter: the memory security boundary, and the only maker of `Permitted`."""

from dataclasses import dataclass

from privity.engine.bound import Bound, row_facts
from privity.engine.denials import deny_at
from privity.engine.parts import Parts
from privity.engine.records import Artifact, RevisionRecord, StoreRecord
from privity.engine.snapshot import with_policies
from privity.model.decisions import Allow, Decision, Deny
from privity.model.ids import PolicyId, RuleId
from privity.model.reasons import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Permitted:
    """A row that the evaluator allowed, with content whose hash was verified."""

    store: StoreRecord
    revision: RevisionRecord
    content: bytes
    score: float
    determining_rules: tuple[RuleId, ...]


def look(parts: Parts, bound: Bound, store: StoreRecord, revision: RevisionRecord, score: float) -> Permitted | None:
    """Read the artifact of one row and permit it, or return nothing."""
    permitted = examine(parts, bound, store, revision, score)
    return permitted if isinstance(permitted, Permitted) else None


def examine(parts: Parts, bound: Bound, store: StoreRecord, revision: RevisionRecord, score: float) -> Permitted | Deny:
    """Read the artifact of one row and permit it, or say why not."""
    artifact = parts.backend.artifacts.load(
        store.facts.agent_id, store.path_key, revision.section, revision.revision_id, revision.content_hash
    )
    policies = with_policies(parts, bound.snapshot, named_policies(revision))
    facts = row_facts(bound, store, revision, artifact.integrity, policies)
    return permit(bound.rows.decide(facts), store=store, revision=revision, artifact=artifact, score=score)


def permit(
    decision: Decision, *, store: StoreRecord, revision: RevisionRecord, artifact: Artifact, score: float
) -> Permitted | Deny:
    """Turn a candidate into a permitted row if, and only if, the evaluator allowed it."""
    match decision, artifact.content:
        case Allow(), bytes() as content:
            return Permitted(
                store=store,
                revision=revision,
                content=content,
                score=score,
                determining_rules=decision.determining_rules,
            )
        case Deny(), _:
            return decision
        case _:
            return missing_content()


def missing_content() -> Deny:
    """Return the denial of a row whose content is not at hand."""
    return deny_at(Reason.REVISION_STALE, 5)


def named_policies(revision: RevisionRecord) -> frozenset[PolicyId]:
    """Return the ids of every policy a row depends on."""
    inherited = {requirement.policy_id for requirement in revision.requirements}
    return frozenset(revision.own_policy_ids) | inherited
