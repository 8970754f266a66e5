"""What every stage of the engine is given: storage, the host's verifier, time, ids, keys."""

from dataclasses import dataclass

from privity.engine.handles import Handles
from privity.engine.meter import Meter
from privity.engine.ports import Backend
from privity.engine.seals import Seals
from privity.sdk.ambient import Clock, Entropy
from privity.sdk.verification import ContextVerifier


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The engine's surroundings. Nothing in it belongs to a request."""

    backend: Backend
    verifier: ContextVerifier
    clock: Clock
    entropy: Entropy
    seals: Seals
    handles: Handles
    meter: Meter


def parts_of(backend: Backend, verifier: ContextVerifier, clock: Clock, entropy: Entropy) -> Parts:
    """Assemble the parts around an opened backend."""
    seals = Seals(backend.keys.home_key())
    return Parts(
        backend=backend,
        verifier=verifier,
        clock=clock,
        entropy=entropy,
        seals=seals,
        handles=Handles(seals),
        meter=Meter(),
    )
