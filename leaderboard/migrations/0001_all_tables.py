"""All tables."""

import uuid

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models



class Migration(migrations.Migration):
    # A database of a clone from before the first release has all of these. One that lacks some is refused.
    replaces = [
        ("leaderboard", "0001_tables"),
        ("leaderboard", "0003_invitations_and_retired_handles"),
        ("leaderboard", "0004_event_data"),
        ("leaderboard", "0005_boards"),
        ("leaderboard", "0006_board_permissions"),
        ("leaderboard", "0007_account_emails"),
        ("leaderboard", "0008_storage_token"),
        ("leaderboard", "0009_judged_by_rules"),
        ("leaderboard", "0010_judge_budget_by_team"),
        ("leaderboard", "0011_judge_answers"),
        ("leaderboard", "0012_left_out"),
        ("leaderboard", "0013_task_texts"),
        ("leaderboard", "0014_log_facts"),
        ("leaderboard", "0015_remarks_by_code"),
        ("leaderboard", "0016_public_traces"),
        ("leaderboard", "0017_replay"),
        ("leaderboard", "0018_designation_and_rules"),
        ("leaderboard", "0019_number_designated_files"),
        ("leaderboard", "0020_tasks_set_aside"),
        ("leaderboard", "0021_doubts"),
        ("leaderboard", "0022_reported_results"),
        ("leaderboard", "0025_unranked_lane"),
        ("leaderboard", "0026_lead_and_put_back"),
        ("leaderboard", "0027_feedback_levels"),
        ("leaderboard", "0027_levels_of_demonstrations"),
        ("leaderboard", "0028_activation_order"),
        ("leaderboard", "0029_file_signatures"),
    ]

    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="JudgeAnswers",
            fields=[
                ("status", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("count", models.PositiveBigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="LimitEntry",
            fields=[
                ("cache_key", models.CharField(max_length=255, primary_key=True, serialize=False)),
                ("value", models.TextField()),
                ("expires", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name="PublicVerdict",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.BinaryField(help_text="As of a judged answer.", max_length=32, unique=True)),
                ("correct", models.BooleanField()),
                (
                    "served",
                    models.CharField(
                        blank=True, default="", help_text="As of a judged answer.", max_length=150
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="RetiredHandle",
            fields=[
                (
                    "digest",
                    models.CharField(
                        max_length=64,
                        primary_key=True,
                        serialize=False,
                        verbose_name="keyed digest of the short name",
                    ),
                ),
                ("retired_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "verbose_name": "retired short name",
            },
        ),
        migrations.CreateModel(
            name="RunningProcess",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(help_text="Its machine and process id.", max_length=100)),
                ("lanes", models.CharField(blank=True, max_length=60)),
                ("pulse", models.PositiveBigIntegerField()),
                ("started_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name="SigningKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("public_key", models.CharField(max_length=64, unique=True)),
                ("since", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["since", "pk"],
            },
        ),
        migrations.CreateModel(
            name="User",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                ("first_name", models.CharField(blank=True, max_length=150, verbose_name="first name")),
                ("last_name", models.CharField(blank=True, max_length=150, verbose_name="last name")),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="Designates whether the user can log into this admin site.",
                        verbose_name="staff status",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                (
                    "date_joined",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="date joined"),
                ),
                ("email", models.EmailField(max_length=254, unique=True, verbose_name="email address")),
                (
                    "language",
                    models.CharField(blank=True, db_default="", default="", editable=False, max_length=10),
                ),
                ("email_choices", models.JSONField(blank=True, editable=False, null=True)),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.text.Lower("email"), name="user_email_any_case"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AccountEmail",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("due_at", models.DateTimeField(null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("sent_at", models.DateTimeField(null=True)),
                ("encrypted", models.TextField()),
            ],
            options={
                "indexes": [models.Index(fields=["due_at"], name="account_email_by_due")],
            },
        ),
        migrations.CreateModel(
            name="DeviceCode",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("user_code", models.CharField(max_length=8, unique=True)),
                ("client", models.CharField(max_length=60)),
                ("host", models.CharField(blank=True, max_length=60)),
                ("address", models.CharField(blank=True, max_length=64)),
                ("scopes", models.JSONField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "Nobody has answered"),
                            ("approved", "Approved, its token not fetched"),
                            ("denied", "Denied"),
                            ("used", "Its token was fetched"),
                        ],
                        default="pending",
                        max_length=10,
                    ),
                ),
                ("interval", models.PositiveSmallIntegerField()),
                ("asked_at", models.DateTimeField(null=True)),
                ("expires_at", models.DateTimeField(db_index=True)),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "pending"), ("user__isnull", True)),
                            models.Q(models.Q(("state", "pending"), _negated=True), ("user__isnull", False)),
                            _connector="OR",
                        ),
                        name="device_code_answered_by_someone",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="EndedToken",
            fields=[
                ("digest", models.CharField(max_length=128, primary_key=True, serialize=False)),
                ("revoked", models.BooleanField()),
                ("ended_at", models.DateTimeField(db_index=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Installation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("pk", 1)), name="installation_only_one")
                ],
            },
        ),
        migrations.CreateModel(
            name="Pulse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveBigIntegerField(default=0)),
                ("swept_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [models.CheckConstraint(condition=models.Q(("pk", 1)), name="pulse_only_one")],
            },
        ),
        migrations.CreateModel(
            name="SignInAddress",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                ("last_at", models.DateTimeField(auto_now=True, db_index=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("digest", "user"), name="sign_in_address_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="StorageToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token", models.UUIDField(default=uuid.uuid4, editable=False)),
                ("token_before", models.UUIDField(editable=False, null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("pk", 1)), name="storagetoken_only_one")
                ],
            },
        ),
        migrations.CreateModel(
            name="Board",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=60, unique=True)),
                ("benchmark", models.CharField(max_length=40)),
                ("version", models.CharField(max_length=40)),
                ("title", models.CharField(max_length=120)),
                (
                    "question",
                    models.CharField(
                        help_text="What it asks of a system, in a sentence or two.", max_length=400
                    ),
                ),
                (
                    "feedback",
                    models.CharField(
                        choices=[
                            ("overall", "Overall score only"),
                            ("by-type", "Scores by type"),
                            ("by-task", "Correct or wrong, task by task"),
                            ("by-check", "Correct or wrong and the check that failed, task by task"),
                            (
                                "answers",
                                "Everything, with the expected answers: for leaderboards whose reference answers are public",
                            ),
                        ],
                        default="by-type",
                        max_length=10,
                    ),
                ),
                (
                    "access",
                    models.CharField(
                        choices=[
                            ("anyone", "Anyone who has an account"),
                            ("verified", "Anyone with a verified email address"),
                            ("approved", "New teams a few files, approved teams more"),
                        ],
                        db_default="approved",
                        default="approved",
                        help_text="New teams also need a verified email address, where a mail server is set up.",
                        max_length=10,
                    ),
                ),
                (
                    "daily_limit",
                    models.PositiveIntegerField(
                        blank=True,
                        default=3,
                        help_text="Files of a team that are scored in 24 hours.",
                        null=True,
                    ),
                ),
                (
                    "monthly_limit",
                    models.PositiveIntegerField(
                        blank=True,
                        default=10,
                        help_text="Files of a team that are scored in 30 days.",
                        null=True,
                    ),
                ),
                (
                    "revision_limit",
                    models.PositiveIntegerField(
                        blank=True,
                        default=60,
                        help_text="Files of a team on one revision of the reference answers.",
                        null=True,
                    ),
                ),
                (
                    "publication_limit",
                    models.PositiveIntegerField(
                        blank=True,
                        default=3,
                        help_text="Results that a team may publish in 30 days.",
                        null=True,
                    ),
                ),
                (
                    "newcomer_limit",
                    models.PositiveIntegerField(
                        blank=True, default=3, help_text="Files of a team before it is approved.", null=True
                    ),
                ),
                (
                    "newcomers_daily_limit",
                    models.PositiveIntegerField(
                        blank=True,
                        default=30,
                        help_text="Files of all new teams together in 24 hours.",
                        null=True,
                    ),
                ),
                (
                    "address_limit",
                    models.PositiveIntegerField(
                        blank=True,
                        default=6,
                        help_text="Files of new teams at a network address in 30 days.",
                        null=True,
                    ),
                ),
                (
                    "storage_mib",
                    models.PositiveIntegerField(
                        db_default=20480,
                        default=20480,
                        help_text="What the files and reports of this leaderboard may take together. 0 for no limit.",
                        verbose_name="storage (MiB)",
                    ),
                ),
                (
                    "rounding",
                    models.PositiveSmallIntegerField(
                        db_default=1,
                        default=1,
                        help_text="Percentage points to which a result is rounded until it is published; scores by type and task are shown afterwards. 0 shows at once all that the feedback level allows.",
                    ),
                ),
                (
                    "is_demo",
                    models.BooleanField(
                        default=False,
                        help_text="Its reference answers are public: scores are not meaningful.",
                    ),
                ),
                (
                    "judge_mode",
                    models.CharField(
                        choices=[
                            ("rules", "Wardboard rules"),
                            ("hybrid", "Wardboard hybrid: rules, and an LLM for what they leave undecided"),
                            ("llm", "Wardboard LLM"),
                            ("official", "Official LLM judge"),
                        ],
                        default="rules",
                        help_text="Judge of free-text answers. Model and key are settings.",
                        max_length=10,
                    ),
                ),
                (
                    "mixes_judges",
                    models.BooleanField(
                        default=False,
                        help_text="Rank systems together though different judges decided; the leaderboard says so",
                    ),
                ),
                (
                    "keep_originals",
                    models.BooleanField(
                        default=True,
                        help_text="Keep files as they came, with what is never graded, such as traces.",
                    ),
                ),
                (
                    "public_traces",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="A team may let everyone read what its agent did at each task, once the result is published. Only where files are kept as they came, and never with credentialed data.",
                    ),
                ),
                (
                    "data_class",
                    models.CharField(
                        choices=[("open", "Open data"), ("credentialed", "Credentialed data")],
                        db_default="open",
                        default="open",
                        help_text="Of the patients' data. Credentialed: senders acknowledge the terms, files are not kept as they came, and an LLM judges only where the operator declares that it is local or retains nothing.",
                        max_length=12,
                    ),
                ),
                (
                    "least_runs",
                    models.PositiveSmallIntegerField(
                        db_default=1,
                        default=1,
                        help_text="A result of fewer runs is listed without a rank. Run files that repeat another one do not count.",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(10),
                        ],
                        verbose_name="least number of runs to be ranked",
                    ),
                ),
                (
                    "needs_traces",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="A result whose file lacks the trace of an answer is listed without a rank.",
                        verbose_name="trace of every answer required to be ranked",
                    ),
                ),
                (
                    "needs_official_harness",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="A result of another harness, or with none stated, is listed without a rank.",
                        verbose_name="official harness required to be ranked",
                    ),
                ),
                (
                    "most_rounds",
                    models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="A result of which a task took more turns of the model, or does not state them, is listed without a rank. Empty for no limit.",
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="most rounds of a task to be ranked",
                    ),
                ),
                (
                    "set_aside_count",
                    models.PositiveIntegerField(
                        db_default=0,
                        default=0,
                        editable=False,
                        help_text="Tasks that the active revision sets aside; set when one becomes active.",
                    ),
                ),
                ("position", models.PositiveSmallIntegerField(default=100)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "unranked_lane_of",
                    models.OneToOneField(
                        blank=True,
                        help_text="Its tasks are public, and none of them counts there: teams run gates on it, and nothing on it is published or ranked. It cannot be changed once a file was sent.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="unranked_lane",
                        to="leaderboard.board",
                    ),
                ),
            ],
            options={
                "ordering": ["position", "slug"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("feedback__in", ["overall", "by-type", "by-task", "by-check", "answers"])
                        ),
                        name="benchmark_feedback_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("judge_mode__in", ["rules", "hybrid", "llm", "official"])),
                        name="benchmark_judge_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("access__in", ["anyone", "verified", "approved"])),
                        name="benchmark_access_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("rounding__lte", 50)), name="benchmark_rounding_at_most_half"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ReferenceRevision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "digest",
                    models.CharField(
                        help_text="sha256 of the content; hidden as the content is", max_length=64
                    ),
                ),
                (
                    "commitment",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="HMAC-SHA-256 of the content with the key of the revision: public",
                        max_length=64,
                    ),
                ),
                ("origin", models.CharField(max_length=500)),
                ("task_ids", models.JSONField()),
                ("content", models.BinaryField()),
                ("unusable_count", models.PositiveIntegerField(default=0)),
                (
                    "set_aside",
                    models.JSONField(
                        blank=True, db_default=models.Value([], models.JSONField()), default=list
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "board",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="revisions",
                        to="leaderboard.board",
                    ),
                ),
                (
                    "full",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="leaderboard.referencerevision",
                    ),
                ),
                (
                    "imported_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["board", "-number"],
                "constraints": [
                    models.UniqueConstraint(fields=("board", "number"), name="revision_number_once"),
                    models.UniqueConstraint(fields=("board", "digest"), name="revision_content_once"),
                    models.CheckConstraint(
                        condition=models.Q(("number__gt", 0)), name="revision_number_from_one"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("digest", ""), _negated=True), name="revision_has_digest"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("full__isnull", True), ("set_aside", [])),
                            models.Q(("full__isnull", False), models.Q(("set_aside", []), _negated=True)),
                            _connector="OR",
                        ),
                        name="revision_sets_aside_of_another",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="BoardState",
            fields=[
                (
                    "board",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="state",
                        serialize=False,
                        to="leaderboard.board",
                    ),
                ),
                ("revision", models.PositiveBigIntegerField(default=0)),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("number", models.PositiveIntegerField(default=0)),
                ("rows_number", models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="Announcement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.CharField(max_length=500)),
                ("text_zh", models.CharField(blank=True, max_length=500)),
                ("announced_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "announced_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "board",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="announcements",
                        to="leaderboard.board",
                    ),
                ),
            ],
            options={
                "ordering": ["-announced_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="BoardOrganiser",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("since", models.DateTimeField(auto_now_add=True)),
                (
                    "board",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="organisers",
                        to="leaderboard.board",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="organises",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "organiser",
                "constraints": [
                    models.UniqueConstraint(fields=("board", "user"), name="organiser_once_a_board")
                ],
            },
        ),
        migrations.CreateModel(
            name="BoardStatistics",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("judge", models.CharField(blank=True, default="", max_length=300)),
                ("method", models.PositiveSmallIntegerField(db_default=2, default=2)),
                ("digest", models.CharField(max_length=64)),
                ("systems", models.PositiveIntegerField(help_text="How many took part.")),
                ("payload", models.BinaryField()),
                ("seconds", models.FloatField()),
                ("leads_since", models.PositiveIntegerField(null=True)),
                ("leads_through", models.PositiveIntegerField(db_default=0, default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "board",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="statistics",
                        to="leaderboard.board",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["board", "digest"], name="board_statistics_by_digest")],
                "constraints": [
                    models.UniqueConstraint(fields=("board", "number", "judge"), name="board_statistics_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="CommitmentKey",
            fields=[
                (
                    "revision",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="commitment_key",
                        serialize=False,
                        to="leaderboard.referencerevision",
                    ),
                ),
                ("key", models.BinaryField()),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="TaskGroups",
            fields=[
                (
                    "revision",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="task_groups",
                        serialize=False,
                        to="leaderboard.referencerevision",
                    ),
                ),
                ("packed", models.BinaryField()),
                ("clusters", models.BinaryField(null=True)),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="TaskTexts",
            fields=[
                (
                    "revision",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="task_texts",
                        serialize=False,
                        to="leaderboard.referencerevision",
                    ),
                ),
                ("texts", models.JSONField()),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="RescoringOrder",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("asked", models.PositiveIntegerField(default=0)),
                ("claim", models.UUIDField(null=True)),
                ("lease_pulse", models.PositiveBigIntegerField(default=0)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                (
                    "board",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="leaderboard.board"
                    ),
                ),
                (
                    "ordered_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "revision",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="leaderboard.referencerevision",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Team",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                (
                    "handle",
                    models.CharField(
                        blank=True,
                        max_length=40,
                        null=True,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^(?=.{3,40}\\Z)[a-z0-9]+(?:-[a-z0-9]+)*\\Z"
                            )
                        ],
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "owner_alone",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="personal_team",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="System",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("model_names", models.JSONField(default=list, help_text="Names of the models it runs on.")),
                ("organisation", models.CharField(blank=True, max_length=120)),
                (
                    "interaction",
                    models.CharField(
                        blank=True,
                        choices=[("single-turn", "Single-turn"), ("multi-turn", "Multi-turn")],
                        max_length=20,
                    ),
                ),
                (
                    "retrieval",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("query-generator", "Query generator"),
                            ("retriever", "Retriever"),
                            ("both", "Retriever and query generator"),
                            ("none", "None"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "reasoning",
                    models.CharField(
                        blank=True, choices=[("language", "Language"), ("code", "Code")], max_length=20
                    ),
                ),
                ("open_weights", models.BooleanField(blank=True, null=True)),
                (
                    "harness",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("official", "Official harness"),
                            ("own-tools", "Own tools"),
                            ("prefetch", "Data prefetched"),
                        ],
                        db_default="",
                        default="",
                        max_length=20,
                    ),
                ),
                ("harness_name", models.CharField(blank=True, db_default="", default="", max_length=80)),
                ("tools", models.CharField(blank=True, db_default="", default="", max_length=200)),
                (
                    "task_memory",
                    models.BooleanField(
                        blank=True,
                        help_text="Whether it had memory or examples from the benchmark's tasks.",
                        null=True,
                    ),
                ),
                (
                    "trained_on_benchmark",
                    models.BooleanField(
                        blank=True,
                        help_text="Whether a model of it was trained or tuned on the benchmark.",
                        null=True,
                    ),
                ),
                (
                    "cost_per_task",
                    models.FloatField(
                        blank=True,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(10000),
                        ],
                    ),
                ),
                (
                    "seconds_per_task",
                    models.FloatField(
                        blank=True,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(86400),
                        ],
                    ),
                ),
                ("run_on", models.DateField(blank=True, null=True)),
                (
                    "fhir_image",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        max_length=71,
                        validators=[django.core.validators.RegexValidator("^sha256:[0-9a-f]{64}\\Z")],
                    ),
                ),
                (
                    "source",
                    models.CharField(
                        blank=True,
                        help_text="For a system as published elsewhere: its source.",
                        max_length=200,
                    ),
                ),
                ("source_url", models.URLField(blank=True, max_length=300)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("code_url", models.URLField(blank=True, max_length=300)),
                ("paper_url", models.URLField(blank=True, max_length=300)),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="systems",
                        to="leaderboard.team",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        models.F("team"),
                        django.db.models.functions.text.Lower("name"),
                        name="system_name_once_a_team",
                    ),
                    models.UniqueConstraint(
                        models.F("source"),
                        django.db.models.functions.text.Lower("name"),
                        condition=models.Q(("team__isnull", True)),
                        name="system_name_once_a_source",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("source", ""), ("team__isnull", False)),
                            models.Q(("team__isnull", True), models.Q(("source", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="system_has_team_or_source",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("name", ""), _negated=True), name="system_has_name"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("owner", "Owner"), ("member", "Member")], default="member", max_length=10
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="leaderboard.team",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("team", "user"), name="membership_once")],
            },
        ),
        migrations.CreateModel(
            name="ReportedResult",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("source", models.CharField(max_length=200)),
                ("is_ranked", models.BooleanField()),
                ("stated", models.JSONField()),
                ("groups", models.JSONField(default=dict)),
                ("is_of_release", models.BooleanField(default=False)),
                ("changed_at", models.DateTimeField(auto_now=True)),
                ("removed_at", models.DateTimeField(blank=True, null=True)),
                ("removal_reason", models.CharField(blank=True, default="", max_length=300)),
                (
                    "board",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reported_results",
                        to="leaderboard.board",
                    ),
                ),
                (
                    "changed_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "system",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="leaderboard.system",
                    ),
                ),
            ],
            options={
                "ordering": ["board", "source", "name"],
                "constraints": [
                    models.UniqueConstraint(
                        models.F("board"),
                        django.db.models.functions.text.Lower("source"),
                        django.db.models.functions.text.Lower("name"),
                        name="reported_result_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("name", ""), _negated=True), models.Q(("source", ""), _negated=True)
                        ),
                        name="reported_result_is_named",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("is_ranked", False),
                            ("removed_at__isnull", False),
                            ("system__isnull", False),
                            _connector="OR",
                        ),
                        name="reported_result_ranked_has_system",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="JudgeDay",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("day", models.DateField()),
                ("calls", models.PositiveIntegerField(default=0)),
                ("prompt_tokens", models.PositiveBigIntegerField(default=0)),
                ("completion_tokens", models.PositiveBigIntegerField(default=0)),
                ("cost", models.FloatField(default=0)),
                ("new_calls", models.PositiveIntegerField(default=0)),
                ("new_cost", models.FloatField(default=0)),
                (
                    "board",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="leaderboard.board"
                    ),
                ),
            ],
            options={
                "ordering": ["-day", "board"],
                "constraints": [
                    models.UniqueConstraint(fields=("day", "board"), name="judge_day_once_a_board")
                ],
            },
        ),
        migrations.CreateModel(
            name="JudgedAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.BinaryField(max_length=32)),
                ("correct", models.BooleanField()),
                ("judge", models.CharField(max_length=120)),
                ("served", models.CharField(blank=True, default="", max_length=150)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="leaderboard.team",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("key", "team"), name="judged_answer_once_a_team")
                ],
            },
        ),
        migrations.CreateModel(
            name="TeamApproval",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("requested", "Requested"),
                            ("approved", "Approved"),
                            ("refused", "Refused"),
                        ],
                        default="requested",
                        max_length=10,
                    ),
                ),
                ("message", models.CharField(blank=True, max_length=1000)),
                ("requested_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("answer", models.CharField(blank=True, max_length=300)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                (
                    "board",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="approvals",
                        to="leaderboard.board",
                    ),
                ),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="approvals",
                        to="leaderboard.team",
                    ),
                ),
            ],
            options={
                "ordering": ["requested_at"],
                "constraints": [
                    models.UniqueConstraint(fields=("board", "team"), name="approval_once_a_team"),
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["requested", "approved", "refused"])),
                        name="approval_status_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("decided_at__isnull", True), ("status", "requested")),
                            models.Q(
                                models.Q(("status", "requested"), _negated=True),
                                ("decided_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="approval_decided_or_not",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TeamInvitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("email", models.EmailField(max_length=254)),
                (
                    "role",
                    models.CharField(
                        choices=[("owner", "Owner"), ("member", "Member")], default="member", max_length=10
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("expires_at", models.DateTimeField(db_index=True)),
                ("key", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "invited_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="leaderboard.team",
                    ),
                ),
            ],
            options={
                "ordering": ["created_at", "pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("team", "email"), name="invitation_once_an_address")
                ],
            },
        ),
        migrations.CreateModel(
            name="TeamQuota",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("daily_limit", models.PositiveIntegerField(blank=True, null=True)),
                ("monthly_limit", models.PositiveIntegerField(blank=True, null=True)),
                ("revision_limit", models.PositiveIntegerField(blank=True, null=True)),
                ("reason", models.CharField(max_length=300)),
                ("expires_at", models.DateTimeField()),
                ("granted_at", models.DateTimeField(auto_now=True)),
                (
                    "board",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="team_quotas",
                        to="leaderboard.board",
                    ),
                ),
                (
                    "granted_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="quotas",
                        to="leaderboard.team",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("board", "team"), name="quota_once_a_team")],
            },
        ),
        migrations.CreateModel(
            name="TrustedPublisher",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("issuer", models.CharField(max_length=200)),
                ("repository", models.CharField(max_length=255)),
                ("repository_id", models.CharField(blank=True, db_default="", default="", max_length=64)),
                ("workflow", models.CharField(max_length=255)),
                ("environment", models.CharField(blank=True, db_default="", default="", max_length=255)),
                ("added_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("bound_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("last_used_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "added_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "board",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.board",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trusted_publishers",
                        to="leaderboard.team",
                    ),
                ),
            ],
            options={
                "ordering": ["added_at", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        models.F("team"),
                        models.F("issuer"),
                        django.db.models.functions.text.Lower("repository"),
                        models.F("workflow"),
                        models.F("environment"),
                        name="trusted_publisher_once_a_team",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("bound_at__isnull", True), ("repository_id", "")),
                            models.Q(
                                ("bound_at__isnull", False), models.Q(("repository_id", ""), _negated=True)
                            ),
                            _connector="OR",
                        ),
                        name="trusted_publisher_bound_has_id",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CiJob",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("issuer", models.CharField(max_length=200)),
                ("repository", models.CharField(max_length=255)),
                ("repository_id", models.CharField(max_length=64)),
                ("workflow", models.CharField(max_length=255)),
                ("ref", models.CharField(blank=True, max_length=255)),
                ("commit", models.CharField(max_length=64)),
                ("run_url", models.URLField(max_length=300)),
                ("token_digest", models.CharField(editable=False, max_length=64, unique=True)),
                ("environment", models.CharField(blank=True, max_length=255)),
                ("event", models.CharField(blank=True, max_length=60)),
                ("artifact_sha256", models.CharField(blank=True, max_length=64)),
                ("exchanged_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("forget_at", models.DateTimeField(db_index=True, editable=False)),
                (
                    "publisher",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="jobs",
                        to="leaderboard.trustedpublisher",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("digest", models.CharField(max_length=128, primary_key=True, serialize=False)),
                ("token_key", models.CharField(db_index=True, max_length=25)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("expiry", models.DateTimeField(blank=True, null=True)),
                ("name", models.CharField(max_length=80)),
                ("scopes", models.JSONField(editable=False, null=True)),
                ("last_used_at", models.DateTimeField(editable=False, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="auth_token_set",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "board",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.board",
                    ),
                ),
                (
                    "ci_job",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tokens",
                        to="leaderboard.cijob",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.team",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Submission",
            fields=[
                ("version", models.CharField(blank=True, db_default="", default="", max_length=80)),
                ("commit", models.CharField(blank=True, db_default="", default="", max_length=64)),
                ("run_url", models.URLField(blank=True, db_default="", default="", max_length=300)),
                ("note", models.CharField(blank=True, db_default="", default="", max_length=500)),
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("received", "Received"),
                            ("rejected", "Rejected"),
                            ("queued", "Queued"),
                            ("scoring", "Being scored"),
                            ("scored", "Scored"),
                            ("incomplete", "Incomplete"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="received",
                        max_length=10,
                    ),
                ),
                ("sha256", models.CharField(max_length=64)),
                ("size_bytes", models.PositiveBigIntegerField()),
                (
                    "stored_as",
                    models.UUIDField(
                        editable=False, help_text="Its files in services.files.store.", unique=True
                    ),
                ),
                (
                    "kept_bytes",
                    models.PositiveBigIntegerField(
                        db_default=0,
                        default=0,
                        editable=False,
                        help_text="What its files take in the store, and its report.",
                    ),
                ),
                (
                    "count",
                    models.PositiveIntegerField(
                        blank=True, help_text="Records in the file, once checked.", null=True
                    ),
                ),
                ("filename", models.CharField(blank=True, max_length=255)),
                ("run_files", models.JSONField(blank=True, editable=False, null=True)),
                ("left_out", models.JSONField(blank=True, db_default=[], default=list, editable=False)),
                ("runs", models.PositiveSmallIntegerField(db_default=1, default=1, editable=False)),
                ("repeated_runs", models.PositiveSmallIntegerField(db_default=0, default=0, editable=False)),
                ("most_rounds", models.PositiveIntegerField(editable=False, null=True)),
                (
                    "provenance",
                    models.CharField(
                        choices=[
                            ("account", "Team member (unverified)"),
                            ("ci", "CI job"),
                            ("ci-attested", "CI job, attested file"),
                        ],
                        db_default="account",
                        default="account",
                        max_length=12,
                    ),
                ),
                (
                    "retries",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="What was run again, and why, as the submitter declares it.",
                        max_length=1000,
                    ),
                ),
                (
                    "deterministic",
                    models.BooleanField(
                        blank=True,
                        help_text="Whether every run gives the same answers, as declared.",
                        null=True,
                    ),
                ),
                (
                    "address_digest",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        editable=False,
                        help_text="Keyed digest of the sender's network address.",
                        max_length=32,
                    ),
                ),
                ("format", models.CharField(blank=True, max_length=20)),
                ("problems", models.JSONField(default=list)),
                ("problem_count", models.PositiveIntegerField(default=0)),
                (
                    "problems_by_code",
                    models.JSONField(blank=True, db_default={}, default=dict, editable=False),
                ),
                ("warnings", models.JSONField(default=list)),
                ("warning_count", models.PositiveIntegerField(default=0)),
                (
                    "warnings_by_code",
                    models.JSONField(blank=True, db_default={}, default=dict, editable=False),
                ),
                (
                    "failure",
                    models.CharField(
                        blank=True, help_text="Why it failed, for the submitter.", max_length=300
                    ),
                ),
                (
                    "attempts",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="Attempts since the last progress."
                    ),
                ),
                (
                    "claim",
                    models.UUIDField(
                        blank=True,
                        editable=False,
                        help_text="Who works on it: a new one at each time.",
                        null=True,
                    ),
                ),
                (
                    "lease_pulse",
                    models.PositiveBigIntegerField(
                        db_default=0,
                        default=0,
                        editable=False,
                        help_text="Pulse.number when its claim was last renewed.",
                    ),
                ),
                (
                    "worked_on_by",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        editable=False,
                        help_text="The process that works on it, or did last.",
                        max_length=100,
                    ),
                ),
                (
                    "is_long",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        editable=False,
                        help_text="In which lane it waits for a worker.",
                    ),
                ),
                (
                    "begun_at",
                    models.DateTimeField(
                        blank=True,
                        editable=False,
                        help_text="When work on it last began; teams take turns by it.",
                        null=True,
                    ),
                ),
                ("publish_when_scored", models.BooleanField(default=False)),
                (
                    "acknowledged",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        editable=False,
                        help_text="Version of the terms on credentialed data that its sender acknowledged; empty for none.",
                        max_length=20,
                    ),
                ),
                ("acknowledged_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "sent_for_publication",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        editable=False,
                        help_text="Whether its team decided to publish it before it was scored.",
                    ),
                ),
                (
                    "designated",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        editable=False,
                        help_text="Whether its team chose it as its system’s entry before it was scored.",
                    ),
                ),
                ("designation", models.PositiveIntegerField(editable=False, null=True)),
                (
                    "trace",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("whole", "Full"),
                            ("in-part", "Partial"),
                            ("posts-only", "Writes only"),
                            ("none", "None"),
                        ],
                        db_default="",
                        default="",
                        editable=False,
                        help_text="What the file holds of the traces of its runs; empty where that is not known.",
                        max_length=10,
                    ),
                ),
                (
                    "log_facts",
                    models.JSONField(
                        blank=True,
                        db_default={},
                        default=dict,
                        editable=False,
                        help_text="What the file states of its runs beside the answers, as scoring has it.",
                    ),
                ),
                (
                    "public_traces",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        editable=False,
                        help_text="Whether its team lets everyone read its traces while it is published.",
                    ),
                ),
                (
                    "stated_facts",
                    models.JSONField(
                        blank=True,
                        editable=False,
                        help_text="Of a known system, until the file proves valid.",
                        null=True,
                    ),
                ),
                (
                    "progress",
                    models.JSONField(
                        blank=True,
                        help_text="Progress of the current step.",
                        null=True,
                    ),
                ),
                (
                    "judged_by_rules",
                    models.JSONField(
                        blank=True,
                        editable=False,
                        help_text="Verdicts that a slice keeps for the next one; hidden.",
                        null=True,
                    ),
                ),
                ("waits_for", models.CharField(blank=True, help_text="Why it is incomplete.", max_length=30)),
                (
                    "resume_at",
                    models.DateTimeField(
                        blank=True, help_text="When an incomplete one is tried again.", null=True
                    ),
                ),
                (
                    "resumed",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="How often in a row without getting on."
                    ),
                ),
                ("judge_calls", models.PositiveIntegerField(default=0)),
                ("judge_prompt_tokens", models.PositiveBigIntegerField(default=0)),
                ("judge_completion_tokens", models.PositiveBigIntegerField(default=0)),
                ("judge_cost", models.FloatField(default=0, help_text="US dollars")),
                ("judge_seconds", models.FloatField(default=0)),
                ("received_at", models.DateTimeField()),
                ("moved_at", models.DateTimeField(help_text="When it came to its present status.")),
                ("scored_at", models.DateTimeField(blank=True, null=True)),
                ("published_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawal_reason", models.CharField(blank=True, max_length=300)),
                ("disqualified_at", models.DateTimeField(blank=True, null=True)),
                ("disqualification_reason", models.CharField(blank=True, max_length=300)),
                (
                    "submitted_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "board",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="leaderboard.board",
                    ),
                ),
                (
                    "ci_job",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="leaderboard.cijob",
                    ),
                ),
                (
                    "system",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="leaderboard.system",
                    ),
                ),
                (
                    "from_team",
                    models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="leaderboard.team",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="leaderboard.team",
                    ),
                ),
            ],
            options={
                "ordering": ["-received_at"],
                "indexes": [
                    models.Index(fields=["team", "-received_at"], name="submission_of_team"),
                    models.Index(fields=["status", "moved_at"], name="submission_by_status"),
                    models.Index(fields=["board", "system"], name="submission_of_system"),
                    models.Index(fields=["board", "-received_at"], name="submission_of_board"),
                    models.Index(fields=["team", "is_long", "begun_at"], name="submission_turns"),
                    models.Index(fields=["team", "kept_bytes"], name="submission_bytes_of_team"),
                    models.Index(fields=["board", "kept_bytes"], name="submission_bytes_of_board"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("status", "rejected"), _negated=True),
                        fields=("board", "team", "sha256"),
                        name="submission_file_once_a_team",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "status__in",
                                [
                                    "received",
                                    "rejected",
                                    "queued",
                                    "scoring",
                                    "scored",
                                    "incomplete",
                                    "failed",
                                    "cancelled",
                                ],
                            )
                        ),
                        name="submission_status_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "failed"), models.Q(("failure", ""), _negated=True)),
                            models.Q(models.Q(("status", "failed"), _negated=True), ("failure", "")),
                            _connector="OR",
                        ),
                        name="submission_failed_has_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "incomplete"), models.Q(("waits_for", ""), _negated=True)),
                            models.Q(
                                models.Q(("status", "incomplete"), _negated=True),
                                ("resume_at__isnull", True),
                                ("waits_for", ""),
                            ),
                            _connector="OR",
                        ),
                        name="submission_incomplete_waits",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("problem_count__gt", 0), ("status", "rejected")),
                            models.Q(models.Q(("status", "rejected"), _negated=True), ("problem_count", 0)),
                            _connector="OR",
                        ),
                        name="submission_rejected_has_problems",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status", "received"),
                            models.Q(("claim__isnull", False), ("status", "scoring")),
                            models.Q(
                                models.Q(("status__in", ["received", "scoring"]), _negated=True),
                                ("claim__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="submission_scoring_is_claimed",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("published_at__isnull", True), ("status", "scored"), _connector="OR"
                        ),
                        name="submission_published_is_scored",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("withdrawn_at__isnull", True), ("published_at__isnull", False), _connector="OR"
                        ),
                        name="submission_withdrawn_was_published",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("disqualification_reason", ""), ("disqualified_at__isnull", True)),
                            models.Q(
                                ("disqualified_at__isnull", False),
                                ("status", "scored"),
                                models.Q(("disqualification_reason", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="submission_disqualified_says_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ci_job__isnull", True), ("provenance", "account")),
                            models.Q(("ci_job__isnull", False), ("provenance__in", ["ci", "ci-attested"])),
                            _connector="OR",
                        ),
                        name="submission_of_ci_has_job",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Evaluation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("scorer_version", models.CharField(max_length=20)),
                ("scorer_commit", models.CharField(blank=True, db_default="", default="", max_length=64)),
                ("runs", models.PositiveSmallIntegerField(db_default=1, default=1)),
                ("right", models.PositiveIntegerField()),
                ("total", models.PositiveIntegerField()),
                ("metrics", models.JSONField()),
                ("breakdowns", models.JSONField()),
                ("group_metrics", models.JSONField(default=dict)),
                ("verdicts", models.BinaryField()),
                ("details", models.BinaryField(default=b"")),
                ("per_run", models.JSONField(blank=True, null=True)),
                ("spread", models.JSONField(blank=True, null=True)),
                ("judge", models.CharField(blank=True, default="", max_length=300)),
                ("suspects", models.JSONField(default=list)),
                ("spending", models.JSONField(default=dict)),
                ("clustered_interval", models.JSONField(null=True)),
                ("duration_ms", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField()),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="evaluations",
                        to="leaderboard.referencerevision",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="evaluations",
                        to="leaderboard.submission",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("runs__gt", 1)), fields=["id"], name="evaluation_of_several_runs"
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("submission", "revision", "scorer_version", "judge"), name="evaluation_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("right__lte", models.F("total")), ("total__gt", 0)),
                        name="evaluation_right_within_total",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(blank=True, null=True)),
                ("rows_number", models.PositiveIntegerField(default=0)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "action",
                    models.CharField(
                        choices=[
                            ("published", "Result published"),
                            ("withdrawn", "Result withdrawn"),
                            ("disqualified", "Result disqualified"),
                            ("reinstated", "Result reinstated"),
                            ("rescored", "Result rescored"),
                            ("reported", "Published result listed"),
                            ("unlisted", "Published result removed"),
                            ("baseline", "Baseline computed"),
                            ("activated", "New reference answers"),
                            ("settings", "Rules of the leaderboard changed"),
                            ("facts", "Facts of a system changed"),
                            ("submission.received", "Submitted"),
                            ("submission.rejected", "Rejected"),
                            ("submission.scored", "Scored"),
                            ("submission.failed", "Failed"),
                            ("submission.incomplete", "Incomplete"),
                            ("submission.cancelled", "Cancelled"),
                            ("submission.retried", "Retried"),
                            ("submission.published", "Published"),
                            ("submission.withdrawn", "Withdrawn"),
                            ("submission.disqualified", "Disqualified"),
                            ("submission.reinstated", "Reinstated"),
                            ("submission.traces-changed", "Traces Changed"),
                            ("references.imported", "Imported"),
                            ("references.set-aside", "Set Aside"),
                            ("references.activated", "Activated"),
                            ("references.discarded", "Discarded"),
                            ("reported.loaded", "Reported"),
                            ("benchmark.changed", "Benchmark Changed"),
                            ("system.changed", "System Changed"),
                            ("team.approval-requested", "Approval Requested"),
                            ("team.approved", "Team Approved"),
                            ("team.refused", "Team Refused"),
                            ("submission.reviewed", "Reviewed"),
                            ("doubt.reported", "Doubt Reported"),
                            ("doubt.declined", "Doubt Declined"),
                            ("doubt.accepted", "Doubt Accepted"),
                            ("board.announced", "Announced"),
                            ("board.announcement-ended", "Announcement Ended"),
                            ("team.quota-granted", "Quota Granted"),
                            ("team.quota-ended", "Quota Ended"),
                            ("board.rescoring-ordered", "Rescoring Ordered"),
                            ("board.organiser-added", "Organiser Added"),
                            ("board.organiser-removed", "Organiser Removed"),
                            ("team.renamed", "Team Renamed"),
                            ("record.name-erased", "Name Erased"),
                            ("team.created", "Team Created"),
                            ("team.closed", "Team Closed"),
                            ("team.member-invited", "Member Invited"),
                            ("team.invitation-revoked", "Invitation Revoked"),
                            ("team.member-joined", "Member Joined"),
                            ("team.member-left", "Member Left"),
                            ("team.role-changed", "Role Changed"),
                            ("system.handed-over", "System Handed Over"),
                            ("account.deleted", "Account Deleted"),
                            ("review-link.created", "Review Link Created"),
                            ("review-link.revoked", "Review Link Revoked"),
                            ("token.created", "Token Created"),
                            ("token.revoked", "Token Revoked"),
                            ("publisher.added", "Publisher Added"),
                            ("publisher.bound", "Publisher Bound"),
                            ("publisher.removed", "Publisher Removed"),
                            ("program.approved", "Program Approved"),
                            ("program.denied", "Program Denied"),
                        ],
                        max_length=40,
                    ),
                ),
                ("system_name", models.CharField(blank=True, max_length=120)),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("data", models.JSONField(blank=True, null=True)),
                ("right", models.PositiveIntegerField(null=True)),
                ("total", models.PositiveIntegerField(null=True)),
                ("score", models.FloatField(null=True)),
                ("mixes_judges", models.BooleanField(default=False)),
                (
                    "feedback",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("overall", "Overall score only"),
                            ("by-type", "Scores by type"),
                            ("by-task", "Correct or wrong, task by task"),
                            ("by-check", "Correct or wrong and the check that failed, task by task"),
                            (
                                "answers",
                                "Everything, with the expected answers: for leaderboards whose reference answers are public",
                            ),
                        ],
                        max_length=10,
                    ),
                ),
                ("judge", models.CharField(blank=True, max_length=300)),
                ("body", models.TextField(blank=True)),
                ("digest", models.CharField(blank=True, max_length=64)),
                (
                    "board",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.board",
                    ),
                ),
                (
                    "actor",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="leaderboard.submission",
                    ),
                ),
                (
                    "revision",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="leaderboard.referencerevision",
                    ),
                ),
                (
                    "evaluation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="leaderboard.evaluation",
                    ),
                ),
                (
                    "system",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="leaderboard.system",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["at"], name="event_by_time"),
                    models.Index(fields=["board", "at"], name="board_event_by_time"),
                    models.Index(fields=["board", "system", "-number"], name="board_event_of_system"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("board", "number"), name="board_event_number_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("action", "disqualified"), _negated=True),
                            models.Q(("reason", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="board_event_disqualified_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("body", ""), ("digest", ""), ("number__isnull", True)),
                            models.Q(
                                ("actor__isnull", True), ("board__isnull", False), ("number__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="event_public_or_private",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditEvent",
            fields=[],
            options={
                "ordering": ["-at", "-pk"],
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("leaderboard.event",),
        ),
        migrations.CreateModel(
            name="BoardEvent",
            fields=[],
            options={
                "ordering": ["board", "-number"],
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("leaderboard.event",),
        ),
        migrations.CreateModel(
            name="AnswerDigests",
            fields=[
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="answer_digests",
                        serialize=False,
                        to="leaderboard.submission",
                    ),
                ),
                ("digests", models.BinaryField()),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.referencerevision",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="UsedVerdicts",
            fields=[
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="used_verdicts",
                        serialize=False,
                        to="leaderboard.submission",
                    ),
                ),
                ("keys", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="Draft",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("address_digest", models.CharField(blank=True, max_length=32)),
                ("stored_as", models.UUIDField(editable=False, unique=True)),
                ("sha256", models.CharField(max_length=64)),
                ("size_bytes", models.PositiveBigIntegerField()),
                ("run_files", models.JSONField(null=True)),
                ("left_out", models.JSONField(db_default=[], default=list)),
                ("filename", models.CharField(blank=True, max_length=255)),
                ("matches", models.JSONField(default=list)),
                ("typed", models.JSONField(default=dict)),
                ("made_at", models.DateTimeField()),
                (
                    "owner",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.submission",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["made_at"], name="draft_by_age"),
                    models.Index(fields=["address_digest"], name="draft_of_address"),
                ],
            },
        ),
        migrations.CreateModel(
            name="IdempotencyKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=255)),
                ("fingerprint", models.CharField(max_length=64)),
                (
                    "made_it",
                    models.BooleanField(
                        help_text="Whether the first request with this key made the submission."
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.submission",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("user", "key"), name="idempotency_key_once")],
            },
        ),
        migrations.CreateModel(
            name="Notification",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("due_at", models.DateTimeField(null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("sent_at", models.DateTimeField(null=True)),
                ("event", models.CharField(max_length=60)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("submission", "A submission is scored or failed"),
                            ("decision", "A result is disqualified, reinstated or rescored"),
                            ("approval", "A team is approved or refused"),
                            ("announcement", "An announcement"),
                            ("token", "A token expires soon"),
                            ("team", "Somebody joins a team, or the role of the person in one changes"),
                            ("invitation", "An invitation to a team"),
                            ("desk", "A leaderboard needs its organisers"),
                        ],
                        max_length=20,
                    ),
                ),
                ("data", models.JSONField(default=dict)),
                (
                    "board",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.board",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.submission",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["due_at"], name="notification_by_due")],
                "constraints": [models.UniqueConstraint(fields=("event", "user"), name="notification_once")],
            },
        ),
        migrations.CreateModel(
            name="ReviewLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=80)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField(null=True)),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="review_links",
                        to="leaderboard.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["created_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="SubmissionLogLine",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                ("level", models.CharField(max_length=10)),
                ("message", models.CharField(max_length=500)),
                ("request_id", models.CharField(blank=True, max_length=64)),
                ("task_id", models.CharField(blank=True, max_length=64)),
                (
                    "submission",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="log_lines",
                        to="leaderboard.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["at", "pk"],
                "indexes": [models.Index(fields=["at"], name="submission_log_by_time")],
            },
        ),
        migrations.CreateModel(
            name="Standing",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("model_names", models.JSONField(default=list, help_text="Names of the models it runs on.")),
                ("organisation", models.CharField(blank=True, max_length=120)),
                (
                    "interaction",
                    models.CharField(
                        blank=True,
                        choices=[("single-turn", "Single-turn"), ("multi-turn", "Multi-turn")],
                        max_length=20,
                    ),
                ),
                (
                    "retrieval",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("query-generator", "Query generator"),
                            ("retriever", "Retriever"),
                            ("both", "Retriever and query generator"),
                            ("none", "None"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "reasoning",
                    models.CharField(
                        blank=True, choices=[("language", "Language"), ("code", "Code")], max_length=20
                    ),
                ),
                ("open_weights", models.BooleanField(blank=True, null=True)),
                (
                    "harness",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("official", "Official harness"),
                            ("own-tools", "Own tools"),
                            ("prefetch", "Data prefetched"),
                        ],
                        db_default="",
                        default="",
                        max_length=20,
                    ),
                ),
                ("harness_name", models.CharField(blank=True, db_default="", default="", max_length=80)),
                ("tools", models.CharField(blank=True, db_default="", default="", max_length=200)),
                (
                    "task_memory",
                    models.BooleanField(
                        blank=True,
                        help_text="Whether it had memory or examples from the benchmark's tasks.",
                        null=True,
                    ),
                ),
                (
                    "trained_on_benchmark",
                    models.BooleanField(
                        blank=True,
                        help_text="Whether a model of it was trained or tuned on the benchmark.",
                        null=True,
                    ),
                ),
                (
                    "cost_per_task",
                    models.FloatField(
                        blank=True,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(10000),
                        ],
                    ),
                ),
                (
                    "seconds_per_task",
                    models.FloatField(
                        blank=True,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(86400),
                        ],
                    ),
                ),
                ("run_on", models.DateField(blank=True, null=True)),
                (
                    "fhir_image",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        max_length=71,
                        validators=[django.core.validators.RegexValidator("^sha256:[0-9a-f]{64}\\Z")],
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("rescored", "Verified"),
                            ("reported", "As published"),
                            ("baseline", "Baseline"),
                        ],
                        default="rescored",
                        max_length=10,
                    ),
                ),
                ("judge", models.CharField(blank=True, default="", max_length=300)),
                ("right", models.PositiveIntegerField(null=True)),
                ("total", models.PositiveIntegerField(null=True)),
                ("score", models.FloatField(help_text="The figure that is ranked, 0..1.", null=True)),
                ("low", models.FloatField(help_text="Lower end of its 95% interval.", null=True)),
                ("high", models.FloatField(null=True)),
                ("metrics", models.JSONField(default=dict)),
                ("breakdowns", models.JSONField(default=dict)),
                ("group_metrics", models.JSONField(default=dict)),
                (
                    "since",
                    models.DateTimeField(
                        help_text="When it was published; for a row as published, the date of its publication."
                    ),
                ),
                ("team_name", models.CharField(blank=True, default="", max_length=120)),
                (
                    "chosen_before_score",
                    models.BooleanField(
                        help_text="Whether the team decided to publish it before it was scored; of a rescored row.",
                        null=True,
                    ),
                ),
                (
                    "files_of_system",
                    models.PositiveIntegerField(
                        help_text="Files of the system that had been scored on the leaderboard when this result came to stand.",
                        null=True,
                    ),
                ),
                (
                    "files_of_team",
                    models.PositiveIntegerField(help_text="The same of all systems of the team.", null=True),
                ),
                ("source", models.CharField(blank=True, default="", max_length=200)),
                ("source_url", models.URLField(blank=True, default="", max_length=300)),
                (
                    "models_text",
                    models.TextField(
                        blank=True, default="", help_text="A line each, with a break around each."
                    ),
                ),
                (
                    "search",
                    models.TextField(
                        blank=True, default="", help_text="Names in one text, folded, for searching."
                    ),
                ),
                (
                    "board",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="%(class)ss",
                        to="leaderboard.board",
                    ),
                ),
                (
                    "evaluation",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="leaderboard.evaluation",
                    ),
                ),
                (
                    "system",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="%(class)ss",
                        to="leaderboard.system",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=[
                            "board",
                            "-score",
                            "since",
                            "system",
                            "kind",
                            "judge",
                            "interaction",
                            "retrieval",
                            "reasoning",
                            "open_weights",
                            "harness",
                            "task_memory",
                            "trained_on_benchmark",
                            "organisation",
                            "name",
                            "low",
                            "id",
                        ],
                        name="standing_listed",
                    ),
                    models.Index(
                        fields=["board", "judge", "-score", "kind", "low", "high"], name="standing_by_judge"
                    ),
                    models.Index(
                        fields=["board", "judge", "kind", "since", "score"], name="standing_by_kind"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("board", "system"), name="standing_once_a_system"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("score__isnull", True),
                            models.Q(("score__gte", 0), ("score__lte", 1)),
                            _connector="OR",
                        ),
                        name="standing_score_is_rate",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("evaluation__isnull", False), ("kind", "rescored")),
                            models.Q(("evaluation__isnull", True), ("kind__in", ["reported", "baseline"])),
                            _connector="OR",
                        ),
                        name="standing_rescored_has_evaluation",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PastStanding",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("model_names", models.JSONField(default=list, help_text="Names of the models it runs on.")),
                ("organisation", models.CharField(blank=True, max_length=120)),
                (
                    "interaction",
                    models.CharField(
                        blank=True,
                        choices=[("single-turn", "Single-turn"), ("multi-turn", "Multi-turn")],
                        max_length=20,
                    ),
                ),
                (
                    "retrieval",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("query-generator", "Query generator"),
                            ("retriever", "Retriever"),
                            ("both", "Retriever and query generator"),
                            ("none", "None"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "reasoning",
                    models.CharField(
                        blank=True, choices=[("language", "Language"), ("code", "Code")], max_length=20
                    ),
                ),
                ("open_weights", models.BooleanField(blank=True, null=True)),
                (
                    "harness",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("official", "Official harness"),
                            ("own-tools", "Own tools"),
                            ("prefetch", "Data prefetched"),
                        ],
                        db_default="",
                        default="",
                        max_length=20,
                    ),
                ),
                ("harness_name", models.CharField(blank=True, db_default="", default="", max_length=80)),
                ("tools", models.CharField(blank=True, db_default="", default="", max_length=200)),
                (
                    "task_memory",
                    models.BooleanField(
                        blank=True,
                        help_text="Whether it had memory or examples from the benchmark's tasks.",
                        null=True,
                    ),
                ),
                (
                    "trained_on_benchmark",
                    models.BooleanField(
                        blank=True,
                        help_text="Whether a model of it was trained or tuned on the benchmark.",
                        null=True,
                    ),
                ),
                (
                    "cost_per_task",
                    models.FloatField(
                        blank=True,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(10000),
                        ],
                    ),
                ),
                (
                    "seconds_per_task",
                    models.FloatField(
                        blank=True,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(86400),
                        ],
                    ),
                ),
                ("run_on", models.DateField(blank=True, null=True)),
                (
                    "fhir_image",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        max_length=71,
                        validators=[django.core.validators.RegexValidator("^sha256:[0-9a-f]{64}\\Z")],
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("rescored", "Verified"),
                            ("reported", "As published"),
                            ("baseline", "Baseline"),
                        ],
                        default="rescored",
                        max_length=10,
                    ),
                ),
                ("judge", models.CharField(blank=True, default="", max_length=300)),
                ("right", models.PositiveIntegerField(null=True)),
                ("total", models.PositiveIntegerField(null=True)),
                ("score", models.FloatField(help_text="The figure that is ranked, 0..1.", null=True)),
                ("low", models.FloatField(help_text="Lower end of its 95% interval.", null=True)),
                ("high", models.FloatField(null=True)),
                ("metrics", models.JSONField(default=dict)),
                ("breakdowns", models.JSONField(default=dict)),
                ("group_metrics", models.JSONField(default=dict)),
                (
                    "since",
                    models.DateTimeField(
                        help_text="When it was published; for a row as published, the date of its publication."
                    ),
                ),
                ("team_name", models.CharField(blank=True, default="", max_length=120)),
                (
                    "chosen_before_score",
                    models.BooleanField(
                        help_text="Whether the team decided to publish it before it was scored; of a rescored row.",
                        null=True,
                    ),
                ),
                (
                    "files_of_system",
                    models.PositiveIntegerField(
                        help_text="Files of the system that had been scored on the leaderboard when this result came to stand.",
                        null=True,
                    ),
                ),
                (
                    "files_of_team",
                    models.PositiveIntegerField(help_text="The same of all systems of the team.", null=True),
                ),
                ("source", models.CharField(blank=True, default="", max_length=200)),
                ("source_url", models.URLField(blank=True, default="", max_length=300)),
                (
                    "models_text",
                    models.TextField(
                        blank=True, default="", help_text="A line each, with a break around each."
                    ),
                ),
                (
                    "search",
                    models.TextField(
                        blank=True, default="", help_text="Names in one text, folded, for searching."
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="Of the event.")),
                ("is_gone", models.BooleanField(default=False)),
                (
                    "board",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="%(class)ss",
                        to="leaderboard.board",
                    ),
                ),
                (
                    "evaluation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="leaderboard.evaluation",
                    ),
                ),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rows",
                        to="leaderboard.boardevent",
                    ),
                ),
                (
                    "system",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="%(class)ss",
                        to="leaderboard.system",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["board", "number", "system"], name="past_standing_by_number")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("board", "system", "number"), name="past_standing_once_an_event"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Doubt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("task_id", models.CharField(max_length=200)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("wrong-answer", "The reference answer is wrong"),
                            ("several-answers", "More than one answer is right"),
                            ("unclear-task", "The task can be read in more than one way"),
                            ("data", "The patient’s data lack the answer or contradict it"),
                            ("other", "Something else"),
                        ],
                        max_length=20,
                    ),
                ),
                ("text", models.CharField(blank=True, max_length=1000)),
                ("reported_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Not decided yet"),
                            ("accepted", "Accepted: set aside"),
                            ("put-back", "Accepted, and put back since"),
                            ("declined", "Declined"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("answer", models.CharField(blank=True, max_length=300)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                (
                    "board",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="doubts",
                        to="leaderboard.board",
                    ),
                ),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "reported_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="leaderboard.referencerevision",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="doubts",
                        to="leaderboard.submission",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="doubts",
                        to="leaderboard.team",
                    ),
                ),
            ],
            options={
                "ordering": ["-reported_at", "-pk"],
                "indexes": [models.Index(fields=["team", "reported_at"], name="doubt_of_team_by_time")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "open")),
                        fields=("board", "team", "task_id"),
                        name="doubt_open_once_a_team",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("kind__in", ["wrong-answer", "several-answers", "unclear-task", "data", "other"])
                        ),
                        name="doubt_kind_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["open", "accepted", "put-back", "declined"])),
                        name="doubt_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("decided_at__isnull", True), ("state", "open")),
                            models.Q(
                                models.Q(("state", "open"), _negated=True), ("decided_at__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="doubt_decided_or_not",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="board",
            name="active_revision",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="leaderboard.referencerevision",
            ),
        ),
        migrations.AddField(
            model_name="team",
            name="members",
            field=models.ManyToManyField(
                related_name="teams", through="leaderboard.Membership", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddField(
            model_name="submission",
            name="evaluation",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="leaderboard.evaluation",
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("evaluation__isnull", False), ("scored_at__isnull", False), ("status", "scored")
                    ),
                    models.Q(
                        models.Q(("status", "scored"), _negated=True),
                        ("evaluation__isnull", True),
                        ("scored_at__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="submission_scored_has_evaluation",
            ),
        ),
    ]
