"""Distinct scalar types, so that one kind of id or revision can never stand for another."""

from typing import NewType

AgentId = NewType("AgentId", str)
PrincipalId = NewType("PrincipalId", str)
GroupId = NewType("GroupId", str)

SessionKey = NewType("SessionKey", str)
SessionId = NewType("SessionId", str)
RequestId = NewType("RequestId", str)
ContextId = NewType("ContextId", str)
RunId = NewType("RunId", str)
EventId = NewType("EventId", str)

StoreId = NewType("StoreId", str)
ResourceId = NewType("ResourceId", str)
RevisionId = NewType("RevisionId", str)
PolicyId = NewType("PolicyId", str)
PolicySetId = NewType("PolicySetId", str)
RuleId = NewType("RuleId", str)

PlanId = NewType("PlanId", str)
ReceiptId = NewType("ReceiptId", str)
DecisionId = NewType("DecisionId", str)

MountHandle = NewType("MountHandle", str)
ResourceHandle = NewType("ResourceHandle", str)
SubjectHandle = NewType("SubjectHandle", str)
DeliveryHandle = NewType("DeliveryHandle", str)
SinkId = NewType("SinkId", str)
EgressCapabilityId = NewType("EgressCapabilityId", str)

Fingerprint = NewType("Fingerprint", str)
"""Lower-case hex SHA-256 of a value's canonical bytes."""

ContentHash = NewType("ContentHash", str)
"""Lower-case hex SHA-256 of an artifact's bytes."""

SessionIdentityRevision = NewType("SessionIdentityRevision", str)
SubjectRevision = NewType("SubjectRevision", str)
EvidenceRevision = NewType("EvidenceRevision", str)
CollaborationRevision = NewType("CollaborationRevision", str)
DeliveryRevision = NewType("DeliveryRevision", str)
EgressRegistryRevision = NewType("EgressRegistryRevision", str)
AudienceRevision = NewType("AudienceRevision", int)
PolicyRevision = NewType("PolicyRevision", int)
AuthorityRevision = NewType("AuthorityRevision", int)
"""Advances with every change of a policy of one agent cell. A new store changes no policy."""
RevocationEpoch = NewType("RevocationEpoch", int)
HostFactsRevision = NewType("HostFactsRevision", int)
"""The host-facts epoch of one agent cell; a revocation is acknowledged only after it was raised."""
RunExposureRevision = NewType("RunExposureRevision", int)
