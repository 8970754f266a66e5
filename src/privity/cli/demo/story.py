"""The conversation of the demo, written for this project, as it ships in the wheel."""

from importlib.resources import as_file, files
from typing import Final

from privity.migrate.chat import ChatFormat, conversations
from privity.migrate.conversation import Conversation, Person, RoomKind, Turn

QUESTION: Final = "What was Sam's offer?"
PRIVATE_WORDS: Final = "Northwind 92,000"
ROOM: Final = "launch"
DESIGN: Final = "sam-d"
ENGINEERING: Final = "sam-e"
ASKER: Final = "priya"


def load_story() -> Conversation:
    """Return the conversation."""
    with as_file(files("privity.cli.demo")) as folder:
        (story,) = conversations(folder / "conversation.json", ChatFormat.GATEMEM, rooms=folder / "rooms.json")
        return story


def called(person: Person) -> str:
    """Return what people of the story are told apart by: two of them have one name."""
    return f"{person.display_name} of {person.role}" if person.display_name == "Sam" else person.display_name


def is_private(story: Conversation, turn: Turn) -> bool:
    """The turn was said in a direct message."""
    return story.rooms[turn.room_id].kind is RoomKind.DIRECT


def place(story: Conversation, turn: Turn) -> str:
    """Return where a turn was said."""
    if not is_private(story, turn):
        return f"said in #{turn.room_id}"
    (stay,) = story.rooms[turn.room_id].stays
    return f"private, {called(story.people[stay.sender_id])}"
