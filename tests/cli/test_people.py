"""Who is meant, who is at the keyboard, and what the administrator changes about them."""

from pathlib import Path

import pytest

from privity.cli.work import memory, people, sessions, setup
from privity.cli.work.homes import Place, agent_of
from privity.host.options import Mode
from privity.model.operations import Operation
from privity.ops.credentials import FILE, load_credentials
from privity.ops.people import load_person, load_principal
from privity.sdk.errors import DeniedError, InputError, StorageFailedError
from privity.wiring import open as open_home
from tests.cli.running import Keyboard, keyboard


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return the place of commands in a home with ada at the keyboard."""
    return Place(home=keyboard(tmp_path).home, agent=None, session=None)


def added(place: Place, name: str) -> str:
    """Add a person and return the id."""
    return str(people.add_identity(place, name, service=False).fields["principal_id"])


@pytest.mark.proves("case:ID-22", "identity:principal:labels-never-select")
def test_a_name_of_two_people_chooses_neither(place: Place) -> None:
    """Where two people are called the same, an id is asked for, and an id is enough."""
    with open_home(place.home or "", environ={}) as host:
        identities = host.operator().identities
        first = identities.add_local_person("sam")
        identities.revoke_binding(identities.bindings(first)[0].binding_id)
        identities.add_local_person("sam")

    with pytest.raises(InputError, match="the name of several people"):
        people.allow(place, "sam", Operation.PUBLISH, None)
    assert people.allow(place, first, Operation.PUBLISH, None).fields["principal_id"] == first


@pytest.mark.proves("identity:binding:revocation", "case:REV-01")
def test_a_revoked_binding_opens_nothing(place: Place) -> None:
    """A binding is revoked by its id, and from then on its sender is told no more than that nothing is available."""
    memory.remember(place, "The code is 4711.", None)
    with open_home(place.home or "", environ={}) as host:
        identities = host.operator().identities
        (binding,) = identities.bindings(load_person(identities, "ada").principal_id)

    people.revoke_identity(place, binding.binding_id)

    for ask in (lambda: memory.search(place, "code", 6), lambda: memory.remember(place, "Another one.", None)):
        with pytest.raises(DeniedError, match=r"^memory unavailable$"):
            ask()


@pytest.mark.proves("identity:service:explicit")
def test_a_service_is_added_and_revoked_by_its_id(place: Place) -> None:
    """A service has no binding: it acts for itself."""
    service = str(people.add_identity(place, "nightly", service=True).fields["principal_id"])

    people.revoke_identity(place, service)

    with open_home(place.home or "", environ={}) as host:
        record = load_principal(host.operator().identities, service)
    assert (record.kind, record.state) == ("svc", "revoked")


@pytest.mark.proves("session:subject:kinds", "session:conversation:view")
def test_whoami_says_whose_view_a_command_has(place: Place) -> None:
    """In private a person's, in a room the room's, without a session nobody's."""
    people.join_room(place, "launch", ["ada"])
    sessions.open_session(place, "ada", "launch")

    assert sessions.whoami(place).fields["session_subject"] == "conversation"
    assert sessions.whoami(Place(home=place.home, agent=None, session="ada")).fields["session_subject"] == "user"
    sessions.close_session(place, None)
    assert sessions.whoami(place).fields["caller"] == "administrative"
    with pytest.raises(InputError, match="no session: is open"):
        sessions.close_session(place, None)


@pytest.mark.proves("case:ID-16", "session:ambiguous:view")
def test_a_sender_who_became_nobody_has_the_view_of_nobody(place: Place) -> None:
    """After the person is revoked, what is opened for the name is ambiguous."""
    people.revoke_identity(place, "ada")

    assert sessions.whoami(place).fields["session_subject"] == "ambiguous"


@pytest.mark.proves("case:API-16")
def test_one_of_several_agents_is_named(place: Place) -> None:
    """The only agent need not be named, one of several must, and a wrong name is none."""
    setup.add_agent(place, "otto")

    with open_home(place.home or "", environ={}) as host:
        with pytest.raises(InputError, match="there are several"):
            agent_of(host, None)
        assert agent_of(host, "otto").name == "otto"
        with pytest.raises(InputError, match="names no agent"):
            agent_of(host, "eve")


@pytest.mark.proves("session:credential:local")
def test_damaged_credentials_open_nothing(place: Place) -> None:
    """A file of sessions that cannot be read stands for no session, and says so."""
    file = (place.home or Path()) / FILE
    for content in (b"{", b'{"sessions": [{}]}', b'{"sessions": [7]}', b"[]", b"\xff", b"[" * 100_000, b"9" * 9_000):
        file.write_bytes(content)
        with pytest.raises(InputError, match="is damaged"):
            sessions.whoami(place)

    file.unlink()
    assert load_credentials(file.parent).opened == {}


@pytest.mark.proves("session:credential:local", "case:CRASH-02")
def test_credentials_that_cannot_be_kept_are_an_error(place: Place) -> None:
    """Something else in their place is not written over."""
    (place.home or Path()).joinpath(f"{FILE}.new").mkdir()

    with pytest.raises(StorageFailedError, match="cannot be kept"):
        sessions.open_session(place, "ada", None)


@pytest.mark.proves("share:publish:capability")
def test_a_publication_that_is_called_off_changes_nothing(tmp_path: Path) -> None:
    """The preview is shown, the answer is no, and the store stays as it was."""
    shell = keyboard(tmp_path)
    place = Place(home=shell.home, agent=None, session=None)
    people.allow(place, "ada", Operation.PUBLISH, None)

    code, shown = shell.at_a_terminal("publish", "We open at nine.", typed="n\n")

    assert code == 0
    assert "nothing was changed" in shown
    assert "│ We open at nine." in shown
    assert memory.search(place, "open", 6).fields["passages"] == []


@pytest.mark.proves("case:MIG-01", "operation:home:modes")
def test_progress_is_shown_at_a_terminal_and_nowhere_else(tmp_path: Path) -> None:
    """A long import says how far it is to who watches, on stderr."""
    shell = Keyboard(home=tmp_path / "home")
    place = Place(home=shell.home, agent=None, session=None)
    setup.init(place, Mode.EVALUATION)
    setup.add_agent(place, "robin")
    chat = Path(__file__).parent.parent / "scenarios" / "files" / "chat.json"

    code, shown = shell.at_a_terminal("import", "chat", str(chat), "--format", "everos", typed="")

    assert code == 0
    assert "importing" in shown
    assert "imported 2 turns of 1 conversations" in shown
