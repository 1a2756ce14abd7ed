from leaderboard.models.audit import AuditEvent
from leaderboard.models.benchmarks import Benchmark, Feedback, ReferenceRevision
from leaderboard.models.evaluations import Evaluation, Standing
from leaderboard.models.submissions import IdempotencyKey, Status, Submission, Upload
from leaderboard.models.systems import Interaction, Reasoning, Retrieval, System
from leaderboard.models.teams import ApiToken, Membership, Role, Team, User

__all__ = [
    "ApiToken",
    "AuditEvent",
    "Benchmark",
    "Evaluation",
    "Feedback",
    "IdempotencyKey",
    "Interaction",
    "Membership",
    "Reasoning",
    "ReferenceRevision",
    "Retrieval",
    "Role",
    "Standing",
    "Status",
    "Submission",
    "System",
    "Team",
    "Upload",
    "User",
]
