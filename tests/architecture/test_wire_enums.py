"""The words on the wire change only on purpose."""

from tools.sources import parse, sources
from tools.wire_enums import GOLDEN, rendered, wire_enums


def test_wire_enums_equal_their_snapshot() -> None:
    """No member is added, renamed or dropped unseen: `make golden` rewrites the snapshot."""
    assert rendered(wire_enums(sources())) == GOLDEN.read_text(encoding="utf-8")


def test_a_renamed_word_changes_the_snapshot() -> None:
    """A member's word is part of the snapshot."""
    before = parse("privity/model/reasons.py", "class Reason(StrEnum):\n    STALE = 'stale'")
    after = parse("privity/model/reasons.py", "class Reason(StrEnum):\n    STALE = 'old'")

    assert rendered(wire_enums([before])) != rendered(wire_enums([after]))
