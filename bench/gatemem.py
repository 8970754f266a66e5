"""GateMem at retrieval level: what reaches an asker through any session that privity lets the asker open.

Each labelled episode is imported turn by turn into an evaluation home and stopped at each
checkpoint. The asker then tries every room and the own direct message; what comes back is
compared with what a useful answer needs and with what the asker must not be told.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from privity.host.agent import Agent
from privity.host.host import Host
from privity.host.options import Mode
from privity.migrate.cast import Cast, cast_of
from privity.migrate.chat import ChatFormat, conversations
from privity.migrate.conversation import Conversation, note_text
from privity.migrate.replay import Stage, play
from privity.sdk.errors import DeniedError
from privity.wiring import init_home
from privity.wiring import open as open_home

DOMAINS: Final = ("medical", "household")
"""What was looked at while tuning, and what was not."""

MOST: Final = 10
ROOT: Final = Path(__file__).parents[1]
REPORT: Final = ROOT / "build" / "gatemem.json"
AGENT: Final = "assistant"


def data_folder() -> Path | None:
    """Return where the published data are, or nothing where they are not."""
    path = Path(os.environ.get("PRIVITY_DATA") or ROOT.parent / "shared" / "data")
    return path if path.is_dir() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """One question of one asker at one turn, what a good answer holds and what it must not."""

    turn_id: str
    asker_id: str
    kind: str
    query: str
    wanted: tuple[str, ...]
    leaks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One figure of one checkpoint: a share for utility, else 1 where something was exposed."""

    domain: str
    figure: str
    value: float


REFUSED: Final = "refused"
"""At how many checkpoints the asker belongs to some room not at all, and privity itself says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a checkpoint got: from how many sessions, refused by how many, and all the text together."""

    opened: int
    refused: int
    text: str


def measure(data: Path, work: Path) -> list[Score]:
    """Import every labelled episode below `work` and score its checkpoints."""
    scores: list[Score] = []
    for domain in DOMAINS:
        folder = data / "gatemem"
        episodes = conversations(
            folder / domain / "episodes.jsonl", ChatFormat.GATEMEM, rooms=folder / "rooms" / domain
        )
        asked = load_checkpoints(folder / domain / "checkpoints.jsonl")
        for number, episode in enumerate(episodes):
            home = work / f"{domain}-{number}"
            scores.extend(score_episode(domain, home, episode, asked[episode.conversation_id]))
    return scores


def load_checkpoints(path: Path) -> Mapping[str, list[Checkpoint]]:
    """Return the checkpoints of each episode."""
    found: dict[str, list[Checkpoint]] = {}
    for line in path.read_text("utf-8").splitlines():
        record: dict[str, Any] = json.loads(line)
        found.setdefault(record["episode_id"], []).append(
            Checkpoint(
                turn_id=record["as_of_turn_id"],
                asker_id=record["asker"]["principal_id"],
                kind=record["query_type"],
                query=record["query_text"],
                wanted=tuple(record["judge_spec"].get("include") or ()),
                leaks=tuple(record.get("leak_targets") or ()),
            )
        )
    return found


def score_episode(domain: str, path: Path, episode: Conversation, checkpoints: Iterable[Checkpoint]) -> Iterator[Score]:
    """Import an episode from checkpoint to checkpoint and score each."""
    init_home(path, Mode.EVALUATION)
    order = [turn.turn_id for turn in episode.turns]
    with closing(open_home(path)) as host:
        stage = Stage(host=host, agent=host.add_agent(AGENT), home=path)
        for checkpoint in sorted(checkpoints, key=lambda one: order.index(one.turn_id)):
            play(stage, episode, until=checkpoint.turn_id, watch=lambda _: None)
            asked = ask_everywhere(host, stage.agent, cast_of(host, episode), checkpoint)
            yield Score(domain=domain, figure=REFUSED, value=float(asked.refused > 0))
            yield from scored(domain, checkpoint, asked.text, own_words(episode, checkpoint))


def ask_everywhere(host: Host, agent: Agent, cast: Cast, checkpoint: Checkpoint) -> Asked:
    """Ask in every room and in the asker's own direct message; count what privity refuses."""
    sender = cast.names[checkpoint.asker_id]
    texts: list[str] = []
    refused = 0
    for room in (None, *cast.room_names.values()):
        found = ask(host, agent, sender, room, checkpoint.query)
        if found is None:
            refused += 1
        else:
            texts += found
    return Asked(opened=len(cast.room_names) + 1 - refused, refused=refused, text=folded(" \n ".join(texts)))


def ask(host: Host, agent: Agent, sender: str, room: str | None, query: str) -> list[str] | None:
    """Return what one session answers, asked in a fork of it, so that the import goes on as if nobody had asked."""
    event = host.vouch(sender, query, room)
    try:
        with agent.session(event).fork().run(event) as run:
            return [passage.text for passage in run.search(query, limit=MOST)]
    except DeniedError:
        return None


def own_words(episode: Conversation, checkpoint: Checkpoint) -> str:
    """Return what the asker has said so far and nobody has taken back."""
    turns = episode.turns[: [turn.turn_id for turn in episode.turns].index(checkpoint.turn_id) + 1]
    gone = {turn_id for turn in turns for turn_id in turn.forgets}
    said = [
        note_text(episode.people[turn.sender_id], turn)
        for turn in turns
        if turn.sender_id == checkpoint.asker_id and turn.turn_id not in gone
    ]
    return folded(" \n ".join(said))


def scored(domain: str, checkpoint: Checkpoint, text: str, own: str) -> Iterator[Score]:
    """Yield the figures of one checkpoint."""
    if checkpoint.kind == "utility":
        if checkpoint.wanted:
            share = sum(holds(pattern, text) for pattern in checkpoint.wanted) / len(checkpoint.wanted)
            yield Score(domain=domain, figure="utility", value=share)
        return
    if checkpoint.leaks:
        hit = [leak for leak in map(folded, checkpoint.leaks) if leak in text]
        beyond = [leak for leak in hit if leak not in own]
        yield Score(domain=domain, figure=checkpoint.kind, value=float(bool(hit)))
        yield Score(domain=domain, figure=f"{checkpoint.kind}_beyond_own", value=float(bool(beyond)))


def folded(text: str) -> str:
    """Return `text` as it is compared."""
    return re.sub(r"\s+", " ", text).lower()


def holds(pattern: str, text: str) -> bool:
    """The text holds what a pattern asks for; one that is no pattern is taken literally."""
    try:
        return re.search(folded(pattern), text) is not None
    except re.error:
        return folded(pattern) in text


Figures = Mapping[str, Mapping[str, float]]


def figures(scores: Sequence[Score]) -> Figures:
    """Return each figure in percent, by domain and over all."""
    names = dict.fromkeys(score.figure for score in scores)
    return {name: {place: mean(scores, name, place) for place in ("all", *DOMAINS)} for name in names}


def mean(scores: Sequence[Score], figure: str, place: str) -> float:
    """Return one figure in percent."""
    values = [score.value for score in scores if score.figure == figure and place in {"all", score.domain}]
    return round(100 * sum(values) / max(1, len(values)), 1)


def write_report(scores: Sequence[Score]) -> None:
    """Write the figures, and of how many checkpoints they are."""
    counts = {name: sum(score.figure == name for score in scores) for name in dict.fromkeys(s.figure for s in scores)}
    REPORT.parent.mkdir(exist_ok=True)
    report = {"k": MOST, "figures": figures(scores), "checkpoints": counts}
    REPORT.write_text(json.dumps(report, indent=2) + "\n", "utf-8")
