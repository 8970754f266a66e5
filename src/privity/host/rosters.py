"""Memberships of conversations and roles, as evidence that runs out and that a departure ends."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta

from privity.host.keys import HostKeys, Purpose
from privity.host.ports import Roster, Withdrawals
from privity.host.records import ConversationRecord, Head, Observation
from privity.model.ids import EvidenceRevision, GroupId, PrincipalId
from privity.model.principals import Membership, PrincipalKind
from privity.sdk.ambient import Clock, Entropy


class Rosters:
    """Keeps conversations and reads who belongs to them now."""

    def __init__(
        self, roster: Roster, withdrawals: Withdrawals, keys: HostKeys, clock: Clock, entropy: Entropy
    ) -> None:
        self._roster = roster
        self._withdrawals = withdrawals
        self._keys = keys
        self._clock = clock
        self._entropy = entropy

    def conversation(self, adapter: str, account: str, conversation_id: str) -> ConversationRecord:
        """Return the conversation that a provider calls `conversation_id`, made at first sight."""
        return self._roster.add_conversation(
            ConversationRecord(
                conversation_id=PrincipalId(self._entropy.token(PrincipalKind.CONVERSATION)),
                conversation_key=self.conversation_key(adapter, account, conversation_id),
                adapter=adapter,
                account=account,
                owner_id=None,
                evidence_revision=EvidenceRevision(self._entropy.token("evr")),
                created_at=self._clock.now(),
            )
        )

    def find_conversation(self, adapter: str, account: str, conversation_id: str) -> ConversationRecord | None:
        """Return the conversation that a provider calls `conversation_id`, if it was ever seen."""
        return self._roster.find_conversation(self.conversation_key(adapter, account, conversation_id))

    def conversation_key(self, adapter: str, account: str, conversation_id: str) -> str:
        """Return the lookup key of a conversation. The provider's id is kept nowhere."""
        return self._keys.digest(Purpose.CONVERSATION, adapter, account, conversation_id)

    def observe(
        self, principal_id: PrincipalId, group_id: PrincipalId, provider: str, at: datetime, lifetime: timedelta
    ) -> None:
        """Record that a principal belonged to a group at `at`. A later departure outweighs it."""
        observed_at = min(at, self._clock.now())
        self._roster.observe(
            Observation(
                principal_id=principal_id,
                group_id=GroupId(group_id),
                provider=provider,
                evidence_revision=EvidenceRevision(self._entropy.token("evr")),
                observed_at=observed_at,
                expires_at=observed_at + lifetime,
                left_at=None,
            )
        )

    def depart(self, head: Head, group_id: PrincipalId, at: datetime) -> bool:
        """Record that a principal, under any of its ids, left a group at `at`."""
        return self._withdrawals.depart(GroupId(group_id), head.all_ids, min(at, self._clock.now()))

    def live(self, head: Head) -> tuple[Membership, ...]:
        """Return the memberships that hold now, in the order of their groups."""
        evidence = self._roster.list_memberships(head.all_ids)
        return tuple(membership_of(head, row) for row in holding(evidence, self._clock.now()))


def holding(evidence: Iterable[Observation], now: datetime) -> list[Observation]:
    """Return for each group the evidence that holds at `now` and lasts longest.

    A departure of any id of a person outweighs whatever was observed of them up to then.
    """
    by_group: defaultdict[GroupId, list[Observation]] = defaultdict(list)
    for row in evidence:
        by_group[row.group_id].append(row)
    strongest = (lasting(rows, now) for _, rows in sorted(by_group.items()))
    return [row for row in strongest if row is not None]


def lasting(rows: list[Observation], now: datetime) -> Observation | None:
    """Return the row of one group that holds at `now` and lasts longest."""
    departures = [row.left_at for row in rows if row.left_at is not None]
    current = [row for row in rows if row.expires_at > now and all(row.observed_at > left_at for left_at in departures)]
    return max(current, key=lambda row: (row.expires_at, row.provider), default=None)


def members(evidence: Iterable[Observation], now: datetime) -> tuple[Observation, ...]:
    """Return who belongs to one group at `now`, one row for each principal id."""
    by_principal: defaultdict[PrincipalId, list[Observation]] = defaultdict(list)
    for row in evidence:
        by_principal[row.principal_id].append(row)
    strongest = (lasting(rows, now) for _, rows in sorted(by_principal.items()))
    return tuple(row for row in strongest if row is not None)


def membership_of(head: Head, row: Observation) -> Membership:
    """Return evidence as a fact about the merge head."""
    return Membership(
        principal_id=head.principal.principal_id,
        group_id=row.group_id,
        provider=row.provider,
        evidence_revision=row.evidence_revision,
        observed_at=row.observed_at,
        expires_at=row.expires_at,
    )
