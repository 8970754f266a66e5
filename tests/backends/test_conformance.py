"""Suite B on both backends: every law of storage, each on a backend of its own."""

import pytest

from privity.conformance.storage import (
    ARTIFACT_LAWS,
    INDEX_LAWS,
    OUTBOX_LAWS,
    REVISION_LAWS,
    RUN_LAWS,
    STORAGE_LAWS,
    STORE_LAWS,
    Law,
)
from privity.engine.ports import Backend


def name_of(law: object) -> str:
    """Return the name of a law."""
    return getattr(law, "__name__", "law")


@pytest.mark.proves("store:one-scope", "store:separate:logical-stores", "policy:revision:immutable", "case:POL-13")
@pytest.mark.parametrize("law", STORE_LAWS, ids=name_of)
def test_stores_keep_their_laws(law: Law, backend: Backend) -> None:
    """Stores, policies and the authority of each cell."""
    law(backend)


@pytest.mark.proves("store:resource:identity", "policy:class:interned", "case:POL-13")
@pytest.mark.parametrize("law", REVISION_LAWS, ids=name_of)
def test_revisions_keep_their_laws(law: Law, backend: Backend) -> None:
    """Resources, immutable revisions and their lineage."""
    law(backend)


@pytest.mark.proves("transcript:label:atomic", "egress:exposure:begin-run")
@pytest.mark.parametrize("law", RUN_LAWS, ids=name_of)
def test_runs_keep_their_laws(law: Law, backend: Backend) -> None:
    """Runs, windows, exposures and labelled events."""
    law(backend)


@pytest.mark.proves("audit:outbox:with-write")
@pytest.mark.parametrize("law", OUTBOX_LAWS, ids=name_of)
def test_the_outbox_keeps_its_laws(law: Law, backend: Backend) -> None:
    """Audit records, committed with what they record."""
    law(backend)


@pytest.mark.proves("read:content:hash-verified", "store:path:opaque-key")
@pytest.mark.parametrize("law", ARTIFACT_LAWS, ids=name_of)
def test_artifacts_keep_their_laws(law: Law, backend: Backend) -> None:
    """The bytes of revisions, and the home key."""
    law(backend)


@pytest.mark.proves("read:statistics:permitted-only", "read:prefilter:superset", "case:IDX-01", "case:SRCH-05")
@pytest.mark.parametrize("law", INDEX_LAWS, ids=name_of)
def test_the_index_keeps_its_laws(law: Law, backend: Backend) -> None:
    """Exact, exhaustive, and moved by permitted rows only."""
    law(backend)


@pytest.mark.proves("store:separate:logical-stores")
def test_every_law_is_in_the_suite_once() -> None:
    """The suite that ships is the suite that runs here."""
    names = [name_of(law) for law in STORAGE_LAWS]

    assert len(set(names)) == len(names)
    assert set(STORAGE_LAWS) == {*STORE_LAWS, *REVISION_LAWS, *RUN_LAWS, *OUTBOX_LAWS, *ARTIFACT_LAWS, *INDEX_LAWS}
