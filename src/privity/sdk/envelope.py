"""The mandatory envelope: no content leaves a plugin outside one."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from privity.model.receipts import EgressReceipt, ExposureReceipt

Content = TypeVar("Content")


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope(Generic[Content]):
    """Content with the receipts that were committed before it left."""

    value: Content
    exposure: ExposureReceipt
    egress: EgressReceipt
