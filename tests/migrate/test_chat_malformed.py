"""A malformed file is refused by file, record and field, and with what to do."""

from pathlib import Path

import pytest

from privity.migrate.chat import ChatFormat
from privity.sdk.errors import InputError, StorageFailedError
from tests.migrate.samples import GATEMEM, ROOMS, SAMPLES, bent, lacking, parsed, written, written_lines

TURN = ("turns", 0)
SESSION = ("conversation", "session_2")
BENT: dict[str, tuple[ChatFormat, tuple[str | int, ...], object]] = {
    "record 2, field `sample_id`: expected text": (ChatFormat.LOCOMO, ("sample_id",), 3),
    "field `conversation.session_2[1].speaker`": (ChatFormat.LOCOMO, (*SESSION, 1, "speaker"), "Cy"),
    "field `conversation.session_2[0].text`: expected text, found null": (
        ChatFormat.LOCOMO,
        (*SESSION, 0, "text"),
        None,
    ),
    "a second turn has the id `D2:2`": (ChatFormat.LOCOMO, (*SESSION, 0, "dia_id"), "D2:2"),
    "is no time like `1:56 pm": (ChatFormat.LOCOMO, ("conversation", "session_2_date_time"), "yesterday"),
    "both speakers have the same name": (ChatFormat.LOCOMO, ("conversation", "speaker_b"), "Ada"),
    "field `conversation.session_2[0]`: expected an object": (ChatFormat.LOCOMO, (*SESSION, 0), []),
    "field `conversation_list[1].create_time`": (ChatFormat.EVEROS, ("conversation_list", 1, "create_time"), "soon"),
    "`u9` is not among the `user_details`": (ChatFormat.EVEROS, ("conversation_list", 0, "sender"), "u9"),
    "no person takes part": (ChatFormat.EVEROS, ("session_meta", "user_details", "u1", "role"), "assistant"),
    "field `turns[0].speaker.principal_id`": (ChatFormat.GATEMEM, (*TURN, "speaker", "principal_id"), "eve"),
    "field `turns[0].text`: the text holds a NUL": (ChatFormat.GATEMEM, (*TURN, "text"), "a\0b"),
    "half of a surrogate pair": (ChatFormat.GATEMEM, (*TURN, "text"), "a\ud800b"),
    "field `entities.principals`: expected a list, found an object": (
        ChatFormat.GATEMEM,
        ("entities", "principals"),
        {},
    ),
}
BENT_ROOMS: dict[str, tuple[tuple[str | int, ...], object]] = {
    "field `rooms[0].members[1].principal`": (("rooms", 0, "members", 1, "principal"), "eve"),
    "field `rooms[0].members[1].until`": (("rooms", 0, "members", 1, "until"), "t999"),
    "field `rooms[0].kind`: the kind is neither": (("rooms", 0, "kind"), "public"),
    "field `turns.t002`: `cellar` is none of the rooms": (("turns", "t002"), "cellar"),
    "field `deletes`: `t999` is no turn up to `t004`": (("deletes", 0, "targets", 0), "t999"),
    "field `deletes`: `t004` is no turn up to `t001`": (("deletes", 0, "by"), "t001"),
    "a direct message has one member": (("rooms", 0, "kind"), "dm"),
    "no episode of the file has a layout": (("episode_id",), "e7"),
}


@pytest.mark.proves("case:MIG-01")
@pytest.mark.parametrize("words", BENT)
def test_a_malformed_record_is_named(tmp_path: Path, words: str) -> None:
    """The error says which file, record and field, and what to do about it."""
    chat_format, path, replacement = BENT[words]
    good = SAMPLES[chat_format]
    records = [good, bent(good, path, replacement)]
    lines = chat_format is ChatFormat.GATEMEM
    file = written_lines(tmp_path, "chats.jsonl", records) if lines else written(tmp_path, "chats.json", records)

    with pytest.raises(InputError) as refused:
        parsed(file, chat_format)

    assert words in str(refused.value)
    assert f"`{file.name}`, record 2" in refused.value.where
    assert "nothing of it was imported" in refused.value.remedy


@pytest.mark.proves("case:MIG-01")
@pytest.mark.parametrize("words", BENT_ROOMS)
def test_a_malformed_rooms_file_is_named(tmp_path: Path, words: str) -> None:
    """Rooms that do not fit their episode are refused like any other record."""
    path, replacement = BENT_ROOMS[words]
    episodes = written_lines(tmp_path, "episodes.jsonl", [GATEMEM])
    rooms = written(tmp_path, "rooms.json", bent(ROOMS, path, replacement))

    with pytest.raises(InputError, match=r"\.json") as refused:
        parsed(episodes, ChatFormat.GATEMEM, rooms)

    assert words in str(refused.value)


@pytest.mark.proves("case:MIG-01")
def test_rooms_that_cannot_be_looked_at_are_an_error(tmp_path: Path) -> None:
    """A name that no disk has is neither a folder nor a file."""
    episodes = written_lines(tmp_path, "episodes.jsonl", [GATEMEM])

    with pytest.raises(StorageFailedError, match="cannot be read"):
        parsed(episodes, ChatFormat.GATEMEM, tmp_path / ("x" * 5_000))


@pytest.mark.proves("case:MIG-01")
def test_a_missing_field_is_named(tmp_path: Path) -> None:
    """The field that should be there is named."""
    file = written_lines(tmp_path, "episodes.jsonl", [lacking(GATEMEM, ("turns", 1, "turn_id"))])

    with pytest.raises(InputError, match=r"record 1, field `turns\[1\]\.turn_id`: the field is missing"):
        parsed(file, ChatFormat.GATEMEM)


@pytest.mark.proves("case:MIG-01")
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"a": ', "no JSON at line 1"),
        (b"\xff\xfe", "no UTF-8 at byte 0"),
        (b"7", "expected a list, found a number"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[" + b"9" * 5_000 + b"]", "too long"),
    ],
)
def test_what_is_no_json_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    """Whatever the bytes are, the answer is an error about the file."""
    file = tmp_path / "chats.json"
    file.write_bytes(content)

    with pytest.raises(InputError, match=words):
        parsed(file, ChatFormat.LOCOMO)


@pytest.mark.proves("case:MIG-01")
@pytest.mark.parametrize("name", ["absent.json", "."])
def test_a_file_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    """A missing file and a folder are both no file."""
    with pytest.raises(InputError, match="no such file"):
        parsed(tmp_path / name, ChatFormat.EVEROS)


@pytest.mark.proves("case:MIG-01")
def test_only_gatemem_takes_rooms(tmp_path: Path) -> None:
    """Rooms for a format that has its own are a mistake, and so is a folder without any."""
    file = written(tmp_path, "chats.json", [SAMPLES[ChatFormat.LOCOMO]])
    episodes = written_lines(tmp_path, "episodes.jsonl", [GATEMEM])
    (tmp_path / "empty").mkdir()

    with pytest.raises(InputError, match="--rooms"):
        parsed(file, ChatFormat.LOCOMO, tmp_path)
    with pytest.raises(InputError, match=r"no `\.json` file"):
        parsed(episodes, ChatFormat.GATEMEM, tmp_path / "empty")
