"""Publishing: leave of its own, granted by the administrative owner, never by placement."""

from datetime import timedelta

import pytest

from privity.model.decisions import Denied
from privity.model.ids import PrincipalId
from privity.model.mutations import Amendment, AmendmentKind
from privity.model.operations import Operation
from privity.model.passages import Remembered
from privity.model.policies import Effect
from privity.model.reasons import Reason
from privity.model.resources import Anonymity
from privity.model.subjects import AutonomousKind
from privity.sdk.errors import InputError
from tests.engine.desk import Desk, Seat, autonomous, dm, nobody, person, room


def operator(desk: Desk) -> Seat:
    """Return the operator's own session, running."""
    return desk.begin(autonomous("operator", AutonomousKind.SYSTEM))


def amend(desk: Desk, seat: Seat, amendment: Amendment) -> int | Denied:
    """Amend the rules under a fresh plan."""
    context = desk.context(seat, Operation.POLICY_ADMIN)
    plan = desk.engine.authorize(context)
    return plan if isinstance(plan, Denied) else desk.engine.amend_rules(context, plan, amendment)


def rule(
    capability: Operation,
    who: PrincipalId | None,
    *,
    kind: AmendmentKind = AmendmentKind.GRANT,
    effect: Effect = Effect.ALLOW,
    lifetime: timedelta | None = None,
) -> Amendment:
    """Return an amendment."""
    return Amendment(kind=kind, effect=effect, capability=capability, grantee_id=who, lifetime=lifetime)


@pytest.mark.proves("write:target:publisher-only", "store:kind:agent-shared")
def test_nobody_publishes_without_leave_and_a_named_publisher_does(desk: Desk) -> None:
    """Reading the shared store gives nobody leave to write it."""
    alice = desk.begin(dm("alice"))
    before = desk.publish(alice, "Office hours are 9 to 5.")
    granted = amend(desk, operator(desk), rule(Operation.PUBLISH, person("alice")))
    after = desk.publish(alice, "Office hours are 9 to 5.")

    assert isinstance(before, Denied)
    assert before.reason is Reason.DEFAULT_DENY
    assert isinstance(granted, int)
    assert isinstance(after, Remembered)
    assert desk.texts(desk.begin(room("team", "bob")), "office hours") == ["Office hours are 9 to 5."]
    assert isinstance(desk.publish(desk.begin(dm("bob")), "Closed today."), Denied)


@pytest.mark.proves("policy:admin:no-ambient-read")
def test_only_the_administrative_owner_amends_and_does_not_thereby_read(desk: Desk) -> None:
    """A person cannot grant themselves leave; the operator reads no private store."""
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "My launch date is 3 May.")
    refused = amend(desk, alice, rule(Operation.PUBLISH, person("alice")))
    owner = operator(desk)
    amend(desk, owner, rule(Operation.PUBLISH, person("alice")))

    assert isinstance(refused, Denied)
    assert refused.reason is Reason.DEFAULT_DENY
    assert desk.texts(owner, "launch date") == []


@pytest.mark.proves("policy:deny:beats-allow", "case:POL-01")
def test_POL_01_a_deny_takes_back_what_an_allow_gave(desk: Desk) -> None:
    """Deny wins, in whatever order the rules came."""
    owner, alice = operator(desk), desk.begin(dm("alice"))
    amend(desk, owner, rule(Operation.PUBLISH, person("alice"), effect=Effect.DENY))
    amend(desk, owner, rule(Operation.PUBLISH, person("alice")))
    refused = desk.publish(alice, "Office hours are 9 to 5.")

    assert isinstance(refused, Denied)
    assert refused.reason is Reason.EXPLICIT_DENY


@pytest.mark.proves("policy:deny:beats-allow")
def test_a_denied_reader_finds_nothing_shared_and_everybody_else_does(desk: Desk) -> None:
    """A deny on reading narrows a mounted store for one principal."""
    owner = operator(desk)
    desk.publish(owner, "Office hours are 9 to 5.")
    amend(desk, owner, rule(Operation.READ, person("bob"), effect=Effect.DENY))

    assert desk.texts(desk.begin(dm("bob")), "office hours") == []
    assert desk.texts(desk.begin(dm("alice")), "office hours") == ["Office hours are 9 to 5."]


@pytest.mark.proves("policy:revision:never-a-standing-allow", "case:POL-10")
def test_POL_10_a_later_deny_reaches_what_was_derived_under_the_old_allow(desk: Desk) -> None:
    """The captured revision was an expectation, not an allowance."""
    owner, alice = operator(desk), desk.begin(dm("alice"))
    desk.publish(owner, "Office hours are 9 to 5.")
    desk.texts(alice, "office")
    desk.kept(alice, "office nine to five")
    before = desk.texts(alice, "nine")
    amend(desk, owner, rule(Operation.READ, person("bob"), effect=Effect.DENY))

    assert before == ["office nine to five"]
    assert desk.texts(desk.begin(dm("alice")), "nine") == []


@pytest.mark.proves("policy:deny:beats-allow")
def test_granting_leave_to_publish_unsettles_no_window(desk: Desk) -> None:
    """Who may publish is a policy of its own beside the placement."""
    owner, alice = operator(desk), desk.begin(dm("alice"))
    desk.publish(owner, "Office hours are 9 to 5.")
    desk.texts(alice, "office")
    desk.kept(alice, "office nine to five")
    amend(desk, owner, rule(Operation.PUBLISH, person("bob")))

    assert desk.texts(desk.begin(dm("alice")), "nine") == ["office nine to five"]


@pytest.mark.proves("session:ambiguous:view")
def test_nobody_in_particular_sees_only_what_was_marked_safe(desk: Desk) -> None:
    """Ambiguous sessions see resources marked safe for anonymous use, and count no others."""
    owner = operator(desk)
    desk.publish(owner, "Office hours are 9 to 5.")
    desk.publish(owner, "Office address is Main Street 1.", Anonymity.ANONYMOUS_SAFE)
    found = desk.search(desk.begin(nobody()), "office")

    assert not isinstance(found, Denied)
    assert [passage.text for passage in found] == ["Office address is Main Street 1."]


@pytest.mark.proves("policy:deny:empty-means-nothing")
@pytest.mark.parametrize(
    "bad",
    [
        rule(Operation.PUBLISH, None),
        rule(Operation.READ, person("bob")),
        rule(Operation.PUBLISH, person("bob"), lifetime=timedelta(0)),
    ],
)
def test_a_rule_that_could_never_be_right_is_refused(desk: Desk, bad: Amendment) -> None:
    """An allow for everybody, a grant of what placement alone may give, a lifetime of nothing."""
    with pytest.raises(InputError):
        amend(desk, operator(desk), bad)


@pytest.mark.proves("case:POL-02")
def test_POL_02_a_grant_ends_at_its_very_instant(desk: Desk) -> None:
    """A lease that has run out gives nothing, swept or not."""
    alice = desk.begin(dm("alice"))
    amend(desk, operator(desk), rule(Operation.PUBLISH, person("alice"), lifetime=timedelta(seconds=60)))
    desk.clock.pass_by(timedelta(seconds=59))
    last = desk.publish(alice, "One.")
    desk.clock.pass_by(timedelta(seconds=1))
    late = desk.publish(alice, "Two.")

    assert isinstance(last, Remembered)
    assert isinstance(late, Denied)
    assert late.reason is Reason.DEFAULT_DENY


@pytest.mark.proves("policy:revision:never-a-standing-allow")
def test_a_withdrawn_grant_gives_nothing(desk: Desk) -> None:
    """Revoking takes the rule out of force at once."""
    owner, alice = operator(desk), desk.begin(dm("alice"))
    amend(desk, owner, rule(Operation.PUBLISH, person("alice")))
    amend(desk, owner, rule(Operation.PUBLISH, person("alice"), kind=AmendmentKind.REVOKE))

    assert isinstance(desk.publish(alice, "One."), Denied)
