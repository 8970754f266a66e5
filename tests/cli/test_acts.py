"""What an administrator types about people is done, or said not to be."""

from pathlib import Path
from typing import cast

import pytest

from privity.cli.exits import ExitCode
from privity.cli.output import Style
from privity.cli.work import memory, people, sessions
from privity.cli.work.homes import Place
from privity.model.operations import Operation
from privity.model.resources import Anonymity
from privity.sdk.errors import DeniedError, InputError
from tests.cli.running import keyboard


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return a home in which ada talks to robin in private."""
    home = keyboard(tmp_path).home
    there = Place(home=home, agent=None, session=None)
    for name in ("al_ex", "bnd_joe"):
        people.add_identity(there, name, service=False)
    sessions.open_session(there, "ada", None)
    return there


def found(place: Place, query: str) -> int:
    """Return how many notes a search finds."""
    passages = memory.search(place, query, 6).fields["passages"]
    assert isinstance(passages, list)
    return len(cast("list[object]", passages))


@pytest.mark.proves("identity:binding:revocation")
@pytest.mark.parametrize("who", ["bnd_none", "usr_none", "eve", "", "ada "])
def test_a_revocation_that_finds_nobody_is_an_error(place: Place, who: str) -> None:
    """A misspelt name is not a revoked one."""
    with pytest.raises(InputError):
        people.revoke_identity(place, who)
    assert memory.remember(place, "Still here.", None).code is ExitCode.OK


@pytest.mark.proves("identity:binding:revocation")
@pytest.mark.parametrize("who", ["al_ex", "bnd_joe"])
def test_a_name_that_looks_like_an_id_is_revoked_by_name(place: Place, who: str) -> None:
    """The name itself counts, whatever is in it."""
    sessions.open_session(place, who, None)
    people.revoke_identity(place, who)

    with pytest.raises(DeniedError):
        memory.remember(place, "Too late.", None)
    with pytest.raises(InputError, match="they were revoked"):
        sessions.open_session(place, who, None)
    people.add_identity(place, who, service=False)
    sessions.open_session(place, who, None)
    assert found(place, "late") == 0


@pytest.mark.proves("identity:principal:merge-head")
def test_a_merged_person_arrives_at_the_merge_head(place: Place) -> None:
    """Both names are one person from then on."""
    memory.remember(place, "The code is 4711.", None)
    people.merge_identities(place, "al_ex", "ada", "one person")
    sessions.open_session(place, "al_ex", None)

    assert found(place, "code") == 1


@pytest.mark.proves("session:membership:conversation-expires")
def test_an_act_on_a_room_that_is_not_there_makes_none(place: Place) -> None:
    """Only joining makes a room; who does not belong is told how to."""
    for act in (
        lambda: people.leave_room(place, "cellar", "ada"),
        lambda: people.own_room(place, "cellar", "ada"),
    ):
        with pytest.raises(InputError, match="names no conversation"):
            act()
    people.join_room(place, "cellar", ["al_ex"])
    with pytest.raises(InputError, match="is no member"):
        people.leave_room(place, "cellar", "ada")
    with pytest.raises(InputError, match="privity room join cellar ada"):
        sessions.open_session(place, "ada", "cellar")


@pytest.mark.proves("share:publish:capability")
def test_a_right_that_was_never_given_is_not_taken_back(place: Place) -> None:
    """Nor is a denial lifted that nobody made; the second time is an error too."""
    for act in (
        lambda: people.revoke(place, "ada", Operation.PUBLISH),
        lambda: people.lift(place, "ada", Operation.READ),
        lambda: people.lift(place, None, Operation.READ),
    ):
        with pytest.raises(InputError, match="was not in force"):
            act()
    people.allow(place, "ada", Operation.PUBLISH, None)
    people.revoke(place, "ada", Operation.PUBLISH)
    with pytest.raises(InputError, match="was not in force"):
        people.revoke(place, "ada", Operation.PUBLISH)


@pytest.mark.proves("policy:deny:beats-allow")
@pytest.mark.parametrize("who", ["ada", None])
def test_a_denial_outweighs_placement_until_it_is_lifted(place: Place, who: str | None) -> None:
    """What everybody may read, one person or everybody may not."""
    sessions.close_session(place, None)
    publication = "We open at nine."
    memory.publish(place, publication, Anonymity.IDENTIFIED_ONLY, Style(as_json=False, quiet=True), yes=True)
    sessions.open_session(place, "ada", None)
    people.deny(place, who, Operation.READ, None)
    denied = found(place, "open")
    people.lift(place, who, Operation.READ)

    assert (denied, found(place, "open")) == (0, 1)


@pytest.mark.proves("identity:binding:revocation", "identity:principal:labels-never-select")
def test_an_open_session_stays_with_whom_it_was_opened_for(place: Place) -> None:
    """Whoever bears the name next opens a session of their own; until then the old one serves nobody."""
    people.revoke_identity(place, "ada")
    people.add_identity(place, "ada", service=False)
    publication = "We open at nine."
    style = Style(as_json=False, quiet=True)
    for ask in (
        lambda: memory.search(place, "anything", 6),
        lambda: memory.remember(place, "Whose is this?", None),
        lambda: memory.publish(place, publication, Anonymity.IDENTIFIED_ONLY, style, yes=True),
    ):
        with pytest.raises(DeniedError):
            ask()
    sessions.open_session(place, "ada", None)
    assert memory.remember(place, "Mine.", None).code is ExitCode.OK
