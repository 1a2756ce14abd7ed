from leaderboard.models.boards import (
    UNLIMITED,
    Access,
    Board,
    BoardState,
    CommitmentKey,
    DataClass,
    Feedback,
    JudgeMode,
    ReferenceRevision,
    TaskTexts,
)
from leaderboard.models.declarations import DeclaredBenchmark
from leaderboard.models.emails import (
    AccountEmail,
    EmailKind,
    Notification,
    Watch,
)
from leaderboard.models.evaluations import Evaluation, Kind, ReportedResult, Standing
from leaderboard.models.judging import (
    JudgeAnswers,
    JudgedAnswer,
    JudgeDay,
    PublicVerdict,
    UsedVerdicts,
)
from leaderboard.models.organisers import (
    Announcement,
    ApprovalStatus,
    BoardOrganiser,
    Doubt,
    DoubtKind,
    DoubtState,
    TeamApproval,
)
from leaderboard.models.processes import (
    Installation,
    LimitEntry,
    RescoringOrder,
    RunningProcess,
    StorageToken,
    SweepTimes,
)
from leaderboard.models.publishers import CiJob, ProvenanceLevel, TrustedPublisher
from leaderboard.models.record import (
    AuditEvent,
    BoardAction,
    BoardEvent,
    BoardStatistics,
    Event,
    PastStanding,
    SigningKey,
)
from leaderboard.models.seasons import Phase, SealedFile, Season
from leaderboard.models.submissions import (
    AnswerDigests,
    Draft,
    IdempotencyKey,
    ReviewLink,
    Status,
    Submission,
    Trace,
    Work,
)
from leaderboard.models.systems import Harness, Interaction, Reasoning, Retrieval, System
from leaderboard.models.teams import (
    Membership,
    RetiredHandle,
    Role,
    SignInAddress,
    Team,
    TeamInvitation,
    User,
)
from leaderboard.models.tokens import OF_SENDERS, ApiToken, CodeState, DeviceCode, Scope
