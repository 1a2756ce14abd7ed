from leaderboard.models.approvals import ApprovalStatus, ReviewLink, TeamApproval
from leaderboard.models.audit import AuditEvent, SubmissionLogLine
from leaderboard.models.benchmarks import (
    UNLIMITED,
    Access,
    Benchmark,
    BoardState,
    DataClass,
    Feedback,
    JudgeMode,
    ReferenceRevision,
)
from leaderboard.models.drafts import Draft
from leaderboard.models.evaluations import Evaluation, Kind, Standing
from leaderboard.models.installation import CODE_LEVEL, Installation
from leaderboard.models.judging import JudgedAnswer, JudgeDay, JudgeErrors, PublicVerdict, UsedVerdicts
from leaderboard.models.organisers import Announcement, BoardOrganiser, TeamQuota
from leaderboard.models.processes import LimitEntry, Pulse, RescoringOrder, RunningProcess
from leaderboard.models.record import BoardAction, BoardEvent, BoardStatistics, PastStanding, TaskGroups
from leaderboard.models.submissions import AnswerDigests, IdempotencyKey, Status, Submission, Trace
from leaderboard.models.systems import Harness, Interaction, Reasoning, Retrieval, System
from leaderboard.models.teams import (
    ApiToken,
    EmailKind,
    EndedToken,
    Membership,
    Notification,
    Role,
    Scope,
    SignInAddress,
    Team,
    User,
)

__all__ = [
    "CODE_LEVEL",
    "UNLIMITED",
    "Access",
    "Announcement",
    "AnswerDigests",
    "ApiToken",
    "ApprovalStatus",
    "AuditEvent",
    "Benchmark",
    "BoardAction",
    "BoardEvent",
    "BoardOrganiser",
    "BoardState",
    "BoardStatistics",
    "DataClass",
    "Draft",
    "EmailKind",
    "EndedToken",
    "Evaluation",
    "Feedback",
    "Harness",
    "IdempotencyKey",
    "Installation",
    "Interaction",
    "JudgeDay",
    "JudgeErrors",
    "JudgeMode",
    "JudgedAnswer",
    "Kind",
    "LimitEntry",
    "Membership",
    "Notification",
    "PastStanding",
    "PublicVerdict",
    "Pulse",
    "Reasoning",
    "ReferenceRevision",
    "RescoringOrder",
    "Retrieval",
    "ReviewLink",
    "Role",
    "RunningProcess",
    "Scope",
    "SignInAddress",
    "Standing",
    "Status",
    "Submission",
    "SubmissionLogLine",
    "System",
    "TaskGroups",
    "Team",
    "TeamApproval",
    "TeamQuota",
    "Trace",
    "UsedVerdicts",
    "User",
]
