"""Rendered views: one Markdown file a section, for people to look at. They are never read back."""

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from privity.backends.sqlite.artifacts import SqliteArtifacts
from privity.backends.sqlite.failures import storage_failures
from privity.backends.sqlite.files import open_below, open_directory, write_new
from privity.backends.sqlite.revisions import SqliteRevisions
from privity.engine.records import RevisionRecord, StoreRecord
from privity.model.resources import Lineage, RevisionState, Section
from privity.model.stores import StoreKind

NOTES: Final = "MEMORY.md"
CARDS: Final = {StoreKind.CONVERSATION: "CONVERSATION.md"}
CARD: Final = "PROFILE.md"
NOTICE: Final = "<!-- Rendered from revisions. privity never reads this file; changes to it are lost. -->"


@dataclass(frozen=True, slots=True, kw_only=True)
class Views:
    """What renders the views of a store."""

    revisions: SqliteRevisions
    artifacts: SqliteArtifacts


def render_views(views: Views, store: StoreRecord, *, at: datetime) -> tuple[str, ...]:
    """Write the views of a store anew, or remove those that have nothing to show; return the names written.

    What is tombstoned, expired at `at`, of broken lineage or changed on disk is not in them.
    """
    rows = views.revisions.list_changes(store.facts.agent_id, store.facts.store_id, 0)
    shown = sorted((row for row in rows if is_shown(row, at)), key=lambda row: row.lifetime.recorded_at)
    names = {Section.NOTE: NOTES, Section.CARD: CARDS.get(store.facts.kind, CARD)}
    texts = {
        name: render(views, store, (row for row in shown if row.section is section)) for section, name in names.items()
    }
    for name, text in texts.items():
        put_view(views, store, name, text)
    return tuple(name for name, text in texts.items() if text)


def is_shown(row: RevisionRecord, at: datetime) -> bool:
    """The revision is in force."""
    expires_at = row.lifetime.expires_at
    return (
        row.state is RevisionState.ACTIVE and row.lineage is Lineage.INTACT and (expires_at is None or expires_at > at)
    )


def render(views: Views, store: StoreRecord, rows: Iterable[RevisionRecord]) -> str:
    """Return the texts of revisions, oldest first, or nothing where there are none."""
    texts: list[str] = []
    for row in rows:
        artifact = views.artifacts.load(row.agent_id, store.path_key, row.section, row.revision_id, row.content_hash)
        if artifact.content is not None:
            texts.append(artifact.content.decode(errors="backslashreplace").strip())
    return "\n\n".join([NOTICE, *texts, ""]) if texts else ""


def put_view(views: Views, store: StoreRecord, name: str, text: str) -> None:
    """Replace a view by another text, or remove it."""
    cells = views.artifacts.cells
    directory = cells.make(store.facts.agent_id)
    temporary = f".{views.artifacts.entropy.token('view')}"
    with (
        storage_failures(cells.layout.vault),
        open_directory(cells.layout.scopes(directory)) as scopes,
        open_below(scopes, store.path_key) as opened,
    ):
        if text:
            write_new(temporary, text.encode(), directory=opened)
            os.replace(temporary, name, src_dir_fd=opened, dst_dir_fd=opened)
        else:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=opened)
        os.fsync(opened)
