from leaderboard.models.audit import AuditEvent
from leaderboard.models.benchmarks import Benchmark, Feedback, JudgeMode, ReferenceRevision
from leaderboard.models.evaluations import Evaluation, Kind, Standing
from leaderboard.models.judging import JudgedAnswer, JudgeDay
from leaderboard.models.submissions import IdempotencyKey, Status, Submission
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
    "JudgeDay",
    "JudgeMode",
    "JudgedAnswer",
    "Kind",
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
    "User",
]
