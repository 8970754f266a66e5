"""Commands about sessions: who is at the keyboard, and whose view a command has."""

from privity.cli.output import Answer, visible
from privity.cli.work.homes import Place, agent_of, existing_home, home_path, open_host, session_of
from privity.host.agent import Agent
from privity.host.host import Host
from privity.host.identities import LOCAL
from privity.model.ids import PrincipalId
from privity.model.reasons import Reason
from privity.model.subjects import ConversationSubject, SessionSubject, UserSubject
from privity.ops.credentials import Opened, load_credentials, save_credentials, session_name
from privity.ops.people import load_person
from privity.ops.vouching import Vouched, say, turn_of
from privity.sdk.errors import DeniedError, InputError


def open_session(place: Place, local: str, room: str | None) -> Answer:
    """Open a session of a person on the operator's word, if it has a memory view."""
    with open_host(place) as host:
        agent = agent_of(host, place.agent)
        person = load_local(host, local)
        who = Vouched(sender=local, room=room)
        refuse_outsider(host, agent, who)
    home = home_path(place)
    session = Opened(name=session_name(who), agent=agent.name, who=who, principal_id=person)
    save_credentials(home, load_credentials(home).opening(session))
    where = f"in `{visible(room)}`" if room else "in private"
    return Answer(
        fields=session_fields(session, is_current=True),
        lines=(f"opened `{visible(session.name)}`: {visible(local)} {where}, with {agent.name}",),
    )


def load_local(host: Host, local: str) -> PrincipalId:
    """Return whom the local adapter knows by a name; nobody is taken for somebody new."""
    _ = host.local
    return load_person(host.operator().identities, local).principal_id


def refuse_outsider(host: Host, agent: Agent, who: Vouched) -> None:
    """Begin a turn, and tell the operator what is missing where somebody does not belong to the room.

    Raises:
        InputError: the person is no member of the room.
        DeniedError: there is another reason.
    """
    refuse_unknown_room(host, who)
    try:
        with turn_of(host, agent, who):
            pass
    except DeniedError as denial:
        if who.room is None or denial.reason is not Reason.MEMBERSHIP_STALE:
            raise
        raise no_member(who) from denial


def refuse_unknown_room(host: Host, who: Vouched) -> None:
    """Refuse a room that nobody made, such as a misspelt one, before an event of it makes it.

    Raises:
        InputError: there is no such room, so that the person is no member of it.
    """
    try:
        _ = who.room is None or host.operator().conversations.find(*LOCAL, who.room)
    except InputError as error:
        raise no_member(who) from error


def no_member(who: Vouched) -> InputError:
    """Return the error about somebody who does not belong to a room."""
    return InputError(
        f"is no member of the room `{who.room}`",
        where=f"`{who.sender}`",
        remedy=f"`privity room join {who.room} {who.sender}`",
    )


def session_fields(session: Opened, *, is_current: bool) -> dict[str, object]:
    """Return a session for a program."""
    return {
        "session": session.name,
        "agent": session.agent,
        "local": session.who.sender,
        "room": session.who.room,
        "current": is_current,
    }


def list_sessions(place: Place) -> Answer:
    """Return the sessions that are open on this machine."""
    credentials = load_credentials(existing_home(place))
    sessions = credentials.opened.values()
    marks = {True: "*", False: " "}
    return Answer(
        fields={"sessions": [session_fields(one, is_current=one.name == credentials.current) for one in sessions]},
        lines=tuple(
            f"{marks[one.name == credentials.current]} {visible(one.name)}  with {one.agent}" for one in sessions
        ),
    )


def close_session(place: Place, name: str | None) -> Answer:
    """Close a session; nothing of the memory is changed."""
    home = existing_home(place)
    credentials = load_credentials(home)
    session = credentials.find(name)
    if session is None:
        raise InputError("is open", where="no session", remedy="see `privity session list`")
    save_credentials(home, credentials.closing(session.name))
    left = credentials.closing(session.name)
    now = "you are the administrator again, who sees nobody's memory"
    if left.current is not None:
        now = f"the session that counts is `{visible(left.current)}`"
    return Answer(
        fields={"session": session.name, "current": left.current}, lines=(f"closed `{visible(session.name)}`: {now}",)
    )


def whoami(place: Place) -> Answer:
    """Return whose view a command would have."""
    session = session_of(place)
    if session is None:
        return Answer(
            fields={"caller": "administrative", "home": str(home_path(place))},
            lines=("the administrator of this home, who sees nobody's memory",),
        )
    with open_host(place) as host:
        subject = host.agent(session.agent).session(say(host, session.who, "")).subject
        mode = host.mode
    kind, subject_id = whose(subject)
    where = f"in `{visible(session.who.room)}`" if session.who.room else "in private"
    return Answer(
        fields={
            "caller": "vouched",
            **session_fields(session, is_current=True),
            "session_subject": kind,
            "subject_id": subject_id or None,
            "mode": mode,
        },
        lines=(
            f"{visible(session.who.sender)} {where}, with {session.agent}: the view of {kind} {subject_id}".rstrip(),
        ),
    )


def whose(subject: SessionSubject) -> tuple[str, str]:
    """Return what kind of subject a session has, and its id; nobody in particular has none."""
    match subject:
        case UserSubject(principal_id=principal_id):
            return "user", principal_id
        case ConversationSubject(conversation_id=conversation_id):
            return "conversation", conversation_id
        case _:
            return "ambiguous", ""
