"""The reference lists what the code has: no more, no less, and with the same numbers."""

import json
import re
from datetime import UTC, datetime
from types import ModuleType
from typing import Final

import pytest

from privity.engine import attempt, text
from privity.host import delegation, identities, ingress, inputs, options
from privity.host.agent import Agent
from privity.host.host import Host
from privity.host.operator import Operator
from privity.host.run import Run
from privity.host.session import Session
from privity.identity.document import KNOWN, Fields, parse_document
from privity.model.audiences import AudienceKind
from privity.model.operations import MUTATIONS, Operation
from privity.model.reasons import Reason
from privity.model.resources import RevisionState
from privity.model.stores import StoreKind
from privity.ops.explain import STEPS
from privity.policy.evaluator import CHECKS
from privity.policy.lattice import GRANTED_ONLY, REQUIRED
from privity.policy.mapping import SESSION_MAPPING
from privity.sdk import errors
from privity.sdk.identity import SenderClaim
from privity.wiring.settings import ACCOUNT_KEYS, CLAIMS
from privity.wiring.settings import KNOWN as SETTINGS
from tests.docs import wire_words
from tests.docs.pages import REFERENCE, Row, blocks, first_cells, flowing, rows, text_of
from tools.wire_enums import GOLDEN

FACES: Final = (("host", Host), ("agent", Agent), ("session", Session), ("run", Run), ("operator", Operator))
FIELDS: Final = Fields(adapter="webhook", account="acme", event_id="e1", claim=SenderClaim.VERIFIED)
NOON: Final = datetime(2026, 3, 2, 12, tzinfo=UTC)
BOUNDS: Final = (
    *((text, name) for name in ("NOTE_BYTES", "CARD_CHARACTERS", "CARD_ENTRIES", "QUERY_CHARACTERS")),
    *((text, name) for name in ("EVENT_BYTES", "LARGEST_LIMIT")),
    *((ingress, name) for name in ("MAX_BODY_BYTES", "MAX_MENTIONS", "MAX_CHANGES")),
    (delegation, "MAX_DEPTH"),
    (identities, "MAX_JUSTIFICATION"),
    (attempt, "ATTEMPTS"),
    *((inputs, name) for name in vars(inputs) if name.startswith("MAX_")),
)


@pytest.mark.proves("policy:reasons:closed")
def test_every_reason_is_in_the_reference_and_no_other() -> None:
    """The table of reasons is the closed set."""
    assert first_cells(REFERENCE / "reasons.md") == set(Reason)


@pytest.mark.proves("policy:reasons:closed", "policy:order:eleven-steps")
def test_a_reason_names_the_steps_at_which_the_evaluator_denies_with_it() -> None:
    """What the table says of steps covers every check; `any` covers all of them."""
    said = {row[0].strip("`"): row[1] for row in rows(REFERENCE / "reasons.md")}

    missing = [(reason, step) for step, reason, _ in CHECKS if str(step) not in said[reason] and said[reason] != "any"]
    assert missing == []


@pytest.mark.proves("context:operation:closed-set")
def test_every_operation_is_in_the_reference_with_what_it_requires() -> None:
    """The lattice on the page is the lattice of the code."""
    listed = {row[0]: set(row[1].split(", ")) for row in rows(REFERENCE / "operations.md") if len(row) == 4}
    listed.pop("operation")

    assert listed == {f"`{operation}`": {f"`{one}`" for one in needed} for operation, needed in REQUIRED.items()}
    assert set(REQUIRED) == set(Operation)


@pytest.mark.proves("context:operation:closed-set")
def test_the_reference_names_what_changes_memory_and_what_placement_never_gives() -> None:
    """Both sets are on the page, word by word."""
    page = flowing(REFERENCE / "operations.md")
    changing = page[page.index("These change durable memory") : page.index("only rebuilds derived state")]
    granted = page[page.index("The lattice") : page.index("Content capabilities follow")]

    assert {word for word in Operation if f"`{word}`" in changing} == MUTATIONS | {Operation.SYNC}
    assert all(f"`{capability}`" in granted for capability in GRANTED_ONLY)


@pytest.mark.proves("store:separate:logical-stores")
def test_every_store_kind_and_state_is_in_the_reference() -> None:
    """The page lists the kinds of stores and the states of revisions, all of them."""
    assert set(StoreKind) | set(RevisionState) <= first_cells(REFERENCE / "stores.md")


@pytest.mark.proves("store:separate:logical-stores")
def test_the_session_mapping_of_the_reference_is_the_one_in_force() -> None:
    """Each row says which session mounts which store by which claim, and with what."""
    wanted = [
        (shape, f"`{row.kind}`", row.claim, ", ".join(f"`{one}`" for one in sorted(row.capabilities)))
        for shape, mapped in SESSION_MAPPING.items()
        for row in mapped
    ]

    assert [row for row in rows(REFERENCE / "stores.md") if row[0] in set(SESSION_MAPPING)] == wanted


@pytest.mark.proves("policy:order:eleven-steps")
def test_the_reference_lists_every_predicate_in_the_order_of_the_steps() -> None:
    """The table of predicates is the evaluator's own."""
    wanted = [(str(step), f"`{reason}`", f"`{holds.__name__}`") for step, reason, holds in CHECKS]

    assert [row[:3] for row in evaluation_rows(4)] == wanted


@pytest.mark.proves("policy:trace")
def test_the_reference_names_the_eleven_steps_as_an_explanation_does() -> None:
    """What an operator reads in an explanation can be looked up."""
    assert {int(row[0]): row[1] for row in evaluation_rows(3)} == STEPS


def evaluation_rows(width: int) -> list[Row]:
    """Return the numbered rows of the evaluation order with so many cells."""
    return [row for row in rows(REFERENCE / "evaluation.md") if row[0].isdigit() and len(row) == width]


@pytest.mark.proves("policy:order:eleven-steps")
def test_the_reference_says_who_supplies_the_facts_of_every_step() -> None:
    """Each of the first ten steps has a fact with somebody who supplies it."""
    supplied = [
        row
        for row in rows(REFERENCE / "evaluation.md")
        if len(row) == 3 and row[2] != "supplied by" and not row[0].isdigit() and row[0] != "step"
    ]
    steps = {step for row in supplied for step in row[1].split(", ")}

    assert steps >= {str(step) for step, _, _ in CHECKS}
    assert [row for row in supplied if not row[2]] == []


@pytest.mark.proves("policy:order:eleven-steps")
def test_every_kind_of_audience_is_in_the_reference() -> None:
    """The page says what each audience covers."""
    assert set(AudienceKind) <= first_cells(REFERENCE / "evaluation.md")


@pytest.mark.proves("context:operation:closed-set", "policy:reasons:closed")
def test_the_page_of_wire_words_is_made_from_the_source() -> None:
    """`python -m tests.docs.wire_words` has been run since a word was added."""
    assert text_of(wire_words.PAGE) == wire_words.rendered()


@pytest.mark.proves("context:operation:closed-set", "policy:reasons:closed")
def test_every_word_of_the_model_is_on_the_page_of_wire_words() -> None:
    """The snapshot of the wire words and the page agree on what the model says."""
    page = text_of(wire_words.PAGE)
    golden: dict[str, dict[str, str]] = json.loads(GOLDEN.read_text(encoding="utf-8"))
    said = [word for name, words in golden.items() if name.startswith(wire_words.SHOWN) for word in words.values()]

    assert [word for word in said if f"`{word}`" not in page] == []


@pytest.mark.proves("case:WRITE-14")
@pytest.mark.parametrize(("module", "name"), BOUNDS, ids=lambda one: one if isinstance(one, str) else one.__name__)
def test_every_limit_is_in_the_reference_with_its_number(module: ModuleType, name: str) -> None:
    """The number on the page is the number that is enforced."""
    found = [row for row in rows(REFERENCE / "limits.md") if row[0] == f"`{name}`"]

    assert [row[1] for row in found] == [f"{getattr(module, name):,}"] * len(found)
    assert found != []


@pytest.mark.proves("session:membership:conversation-expires")
def test_the_lifetimes_of_the_reference_are_the_defaults() -> None:
    """Each lifetime of the host is on the page, in words."""
    said = {row[0].split("`")[1]: row[1] for row in rows(REFERENCE / "limits.md") if row[0].startswith("`")}
    lifetimes = {name: getattr(options.DEFAULT_LIFETIMES, name) for name in options.Lifetimes.__dataclass_fields__}

    assert {name: said.get(name) for name in lifetimes} == {
        name: spoken(span.total_seconds()) for name, span in lifetimes.items()
    }


def spoken(seconds: float) -> str:
    """Return a span of time as people say it."""
    for name, length in (("days", 86_400), ("hour", 3_600), ("minutes", 60)):
        count = seconds / length
        if count >= 1 and count.is_integer() and (name != "days" or count > 1):
            return f"{count:.0f} {name}s" if name == "hour" and count > 1 else f"{count:.0f} {name}"
    return f"{seconds:.0f} seconds"


@pytest.mark.proves("case:WRITE-14")
def test_the_example_of_a_webhook_body_is_one_that_the_adapter_takes() -> None:
    """Every field of the page is in the example, and the example is a whole event."""
    page = REFERENCE / "webhook.md"
    (example,) = blocks(page, "json")
    event = parse_document(example.encode("utf-8"), FIELDS, NOON)

    assert (event.sender.sender_id, event.conversation.conversation_id, event.mentions) == ("U1", "C1", ("U2",))
    assert {name.partition(".")[0] for name in first_cells(page)} >= KNOWN
    assert set(json.loads(example)) == set(KNOWN)


@pytest.mark.proves("isolation:claim:no-config-before-proof")
def test_every_setting_is_in_the_reference_with_its_default_and_none_is_about_isolation() -> None:
    """The table of settings is what the home knows, and no row of it offers a level."""
    said = {row[0].strip("`"): row[1].strip("`") for row in rows(REFERENCE / "settings.md") if len(row) == 4}

    assert {name: default for name, (default, _) in SETTINGS.items()} == {name: said.get(name) for name in SETTINGS}
    assert said.keys() >= ACCOUNT_KEYS
    assert [name for name in SETTINGS if "isolation" in name or "level" in name] == []


@pytest.mark.proves("isolation:claim:no-config-before-proof")
def test_every_word_that_a_setting_may_have_is_in_the_reference() -> None:
    """Nobody has to read the source to know what may stand in the file."""
    page = text_of(REFERENCE / "settings.md")
    allowed = {*options.Mode, *options.FirstContact, *options.MembershipRule, *CLAIMS}

    assert sorted(word for word in allowed if f"`{word}`" not in page) == []


@pytest.mark.proves("isolation:claim:no-config-before-proof")
@pytest.mark.parametrize(("word", "face"), FACES, ids=lambda one: one if isinstance(one, str) else one.__name__)
def test_the_library_reference_lists_what_each_face_has(word: str, face: type) -> None:
    """No call of the public face is missing from the page, and none on it is made up."""
    page = text_of(REFERENCE / "library.md")
    heading = page.index(f"\n## {face.__name__}\n")
    part = page[heading : page.index("\n## ", heading + 1)]
    listed = set(re.findall(rf"`(?:{word})?\.(\w+)", part))
    there = {name for name in vars(face) if not name.startswith("_")}

    assert listed == there


@pytest.mark.proves("policy:reasons:closed")
def test_every_error_is_in_the_library_reference() -> None:
    """The error tree and the page name the same errors."""
    listed = {name for name in first_cells(REFERENCE / "library.md") if name.endswith("Error")}

    assert listed == {
        name for name, value in vars(errors).items() if isinstance(value, type) and name.endswith("Error")
    }
