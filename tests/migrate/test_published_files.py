"""The published files import whole, where they are: beside the checkout, or where PRIVITY_DATA says."""

import os
from pathlib import Path
from typing import Final

import pytest

from privity.migrate.chat import ChatFormat, conversations
from privity.migrate.cues import cues
from tests.migrate.homes import theatre
from tools.sources import ROOT

DATA: Final = Path(os.environ.get("PRIVITY_DATA", ROOT.parent / "shared" / "data"))
FILES: Final = (
    ("locomo/locomo-dev5.json", ChatFormat.LOCOMO, None, 5, 2_760),
    ("team-chat/team_chat_en.json", ChatFormat.EVEROS, None, 1, 509),
    ("team-chat/solo_chat_zh.json", ChatFormat.EVEROS, None, 1, 104),
    ("gatemem/medical/episodes.jsonl", ChatFormat.GATEMEM, None, 21, 4_294),
    ("gatemem/household/episodes.jsonl", ChatFormat.GATEMEM, None, 23, 5_151),
    ("gatemem/medical/episodes.jsonl", ChatFormat.GATEMEM, "gatemem/rooms/medical", 3, 637),
    ("gatemem/household/episodes.jsonl", ChatFormat.GATEMEM, "gatemem/rooms/household", 3, 671),
    ("gatemem/household/episodes.jsonl", ChatFormat.GATEMEM, "gatemem/rooms/household/01.json", 1, 223),
)

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not DATA.is_dir(), reason="the published files are not here; name their folder in PRIVITY_DATA"),
]


def located(name: str | None) -> Path | None:
    """Return a place among the published files."""
    return None if name is None else DATA / name


@pytest.mark.parametrize(("file", "chat_format", "rooms", "count", "turns"), FILES)
def test_a_published_file_is_read_whole(
    file: str, chat_format: ChatFormat, rooms: str | None, count: int, turns: int
) -> None:
    """Every conversation and every turn of it is there, and each turn can be played."""
    found = list(conversations(DATA / file, chat_format, rooms=located(rooms)))

    assert (len(found), sum(len(list(cues(one))) for one in found)) == (count, turns)


@pytest.mark.timeout(120)
def test_a_chinese_chat_is_imported_and_found(tmp_path: Path) -> None:
    """One person with an assistant: a direct message, replies recorded, and Chinese words found."""
    (chat,) = conversations(DATA / "team-chat/solo_chat_zh.json", ChatFormat.EVEROS, rooms=None)

    with theatre(tmp_path / "home") as there:
        assert there.play(chat) == (0, 104)
        assert there.counts() == (104, 104)


@pytest.mark.long
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize(("file", "chat_format", "rooms", "count", "turns"), FILES)
def test_a_published_file_is_imported_whole(
    tmp_path: Path, file: str, chat_format: ChatFormat, rooms: str | None, count: int, turns: int
) -> None:
    """Every turn is an event and a note, once."""
    with theatre(tmp_path / "home") as there:
        played = [there.play(one) for one in conversations(DATA / file, chat_format, rooms=located(rooms))]

        assert len(played) == count
        assert there.counts() == (turns, turns)
