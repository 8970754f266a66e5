"""What others derived from a note makes no difference to whoever looks at what would go with it."""

from pathlib import Path

import pytest

from privity.backends.sqlite.flusher import Durability
from privity.model.ids import ResourceHandle
from privity.model.operations import Operation
from privity.model.passages import ForgetPreview, Remembered
from privity.model.policies import Effect
from privity.model.resources import Anonymity
from tests.engine.desk import Desk, dm
from tests.isolation.homes import Amended, Home, amend, twins
from tests.isolation.watch import WATCHED, Watch, watching

pytestmark = [pytest.mark.leaks, pytest.mark.timeout(120)]


def prepare(desk: Desk, strangers: int) -> ResourceHandle:
    """Publish a note that Alice may withdraw, derive from it as Alice and as strangers, and return its handle."""
    for capability in (Operation.PUBLISH, Operation.DELETE):
        amend(desk, Amended(effect=Effect.ALLOW, capability=capability, grantee=dm("alice")))
    alice = desk.begin(dm("alice"))
    note = desk.publish(alice, "The zanzibar concert is public.", Anonymity.IDENTIFIED_ONLY)
    assert isinstance(note, Remembered)
    desk.texts(alice, "zanzibar")
    desk.kept(alice, "Go to zanzibar.")
    for number in range(strangers):
        stranger = desk.begin(dm(f"stranger{number}"))
        assert desk.texts(stranger, "zanzibar")
        desk.kept(stranger, "Zanzibar, zanzibar.")
        desk.texts(stranger, "zanzibar")
        desk.kept(stranger, "Zanzibar again.")
    return note.handle


def foreseen(path: Path, handle: ResourceHandle) -> tuple[ForgetPreview, Watch]:
    """Open a home under watch and look at what would go with the note."""
    home = Home(kind="sqlite", path=path, vfs=WATCHED, durability=Durability.STRICT, closers=[])
    with watching(path) as watch:
        desk = home.open()
        desk.entropy.count = 9_000_000
        alice = desk.begin(dm("alice"))
        watch.start_anew()
        preview = desk.preview(alice, handle)
        home.close()
    assert isinstance(preview, ForgetPreview)
    return preview, watch


@pytest.mark.proves("store:separate:foreign-influence-none", "read:statistics:permitted-only")
def test_a_preview_takes_no_step_for_what_others_derived(tmp_path: Path) -> None:
    """Answer, files, statements and their VM steps are the same with forty foreign descendants and with none."""
    made = twins("sqlite", tmp_path)
    handle, same_handle = prepare(made.plain, 0), prepare(made.other, 20)
    made.close()
    plain, quiet = foreseen(made.homes[0].path, handle)
    other, crowded = foreseen(made.homes[1].path, same_handle)

    assert handle == same_handle
    assert len(plain.descendants) == 1
    assert other == plain
    assert crowded.files == quiet.files
    assert [one for one in zip(quiet.statements, crowded.statements, strict=True) if one[0] != one[1]] == []
    assert quiet.steps > 100
