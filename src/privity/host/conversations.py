"""What an administrator does with conversations: who owns one, and who belongs to it."""

from datetime import timedelta

from privity.host.identities import Identities, require_account
from privity.host.inputs import parse_identifier, parse_lifetime, parse_page
from privity.host.records import ConversationRecord, HostAct, Observation
from privity.host.rosters import members
from privity.host.workings import Workings
from privity.model.ids import GroupId, PrincipalId
from privity.sdk.errors import InputError
from privity.sdk.strict import strict

ROSTER = "roster"
"""The provider of what an administrator states."""


@strict
class Conversations:
    """The conversations of one home, for its administrator."""

    def __init__(self, workings: Workings, identities: Identities) -> None:
        self._workings = workings
        self._identities = identities

    def add(self, adapter: str, account: str, conversation_id: str) -> PrincipalId:
        """Return the conversation that a provider calls `conversation_id`, made if it is new.

        Raises:
            InputError: the account is not one of this home, or the identifier is none.
        """
        require_account(self._workings, adapter, account)
        named = parse_identifier(conversation_id, where="conversation_id")
        return self._workings.rosters.conversation(adapter, account, named).conversation_id

    def find(self, adapter: str, account: str, conversation_id: str) -> PrincipalId:
        """Return the conversation that a provider calls `conversation_id`.

        Raises:
            InputError: there is none yet.
        """
        require_account(self._workings, adapter, account)
        named = parse_identifier(conversation_id, where="conversation_id")
        found = self._workings.rosters.find_conversation(adapter, account, named)
        if found is None:
            raise InputError("names no conversation", where="conversation_id", remedy="add it first")
        return found.conversation_id

    def name_owner(self, conversation_id: PrincipalId, owner_id: PrincipalId | None) -> None:
        """Name who owns a conversation, or nobody."""
        self.known(conversation_id)
        owner = None if owner_id is None else self._identities.person(owner_id).principal.principal_id
        self._workings.stores.withdrawals.name_owner(conversation_id, owner)
        self._workings.epochs.settle()
        self._note(HostAct.OWNER_NAMED, conversation_id, owner or "")

    def add_member(
        self, conversation_id: PrincipalId, principal_id: PrincipalId, lifetime: timedelta | None = None
    ) -> None:
        """State that a person belongs to a conversation, for a lifetime of 30 days unless named."""
        self.known(conversation_id)
        span = parse_lifetime(lifetime) or self._workings.options.lifetimes.roster_membership
        person = self._identities.person(principal_id).principal.principal_id
        self._workings.rosters.observe(person, conversation_id, ROSTER, self._workings.clock.now(), span)
        self._note(HostAct.MEMBER_ADDED, conversation_id, person)

    def remove_member(self, conversation_id: PrincipalId, principal_id: PrincipalId) -> None:
        """End a person's membership. When this returns, no cell acts on it any more.

        Raises:
            InputError: there is no such conversation or principal, or nothing to end.
        """
        head = self._identities.known(principal_id)
        if not {row.principal_id for row in self.members(conversation_id)} & set(head.all_ids):
            raise InputError("is no member", where="principal_id", remedy="see `members()`")
        self._workings.rosters.depart(head, conversation_id, self._workings.clock.now())
        self._workings.epochs.settle()
        self._note(HostAct.MEMBER_LEFT, conversation_id, head.principal.principal_id)

    def members(self, conversation_id: PrincipalId) -> tuple[Observation, ...]:
        """Return who belongs to a conversation now."""
        self.known(conversation_id)
        evidence = self._workings.stores.roster.list_members(GroupId(conversation_id))
        return members(evidence, self._workings.clock.now())

    def list(self, after: PrincipalId | None = None, limit: int = 100) -> tuple[ConversationRecord, ...]:
        """Return up to `limit` conversations in the order of their ids, after one of them."""
        return self._workings.stores.roster.list_conversations(after, parse_page(limit))

    def known(self, conversation_id: PrincipalId) -> ConversationRecord:
        """Return a conversation.

        Raises:
            InputError: there is no such conversation.
        """
        found = self._workings.stores.roster.load_conversation(conversation_id)
        if found is None:
            raise InputError("names no conversation", where="conversation_id", remedy="use an id from `list()`")
        return found

    def _note(self, act: HostAct, *target_ids: str) -> None:
        """Write down what the administrator did."""
        self._workings.trail.note(act, actor_id=self._workings.operator_id, target_ids=target_ids)
