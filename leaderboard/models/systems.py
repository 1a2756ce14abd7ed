"""The systems that are ranked."""

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from leaderboard.models.teams import Team


class Interaction(models.TextChoices):
    SINGLE = "single-turn", "Single-turn"
    MULTI = "multi-turn", "Multi-turn"


class Retrieval(models.TextChoices):
    QUERY = "query-generator", "Query generator"
    RETRIEVER = "retriever", "Retriever"
    BOTH = "both", "Retriever and query generator"
    NONE = "none", "None"


class Reasoning(models.TextChoices):
    LANGUAGE = "language", "Language"
    CODE = "code", "Code"


class Harness(models.TextChoices):
    """How a system reached the data of a task."""

    OFFICIAL = "official", "Official harness"
    OWN = "own-tools", "Own tools"
    PREFETCH = "prefetch", "Data fetched beforehand"


MOST_DOLLARS, MOST_SECONDS = 10_000, 86_400
IMAGE_DIGEST = r"^sha256:[0-9a-f]{64}\Z"


class Conditions(models.Model):
    """The conditions of a system's runs, as its submitter states them. "" and None: not stated.

    cost_per_task: mean US dollars a task, in 0..10,000
    seconds_per_task: mean seconds a task from instruction to answer, in 0..86,400
    fhir_image: digest of the image of the FHIR server, `sha256:` and 64 hexadecimal digits
    """

    harness = models.CharField(max_length=20, choices=Harness, blank=True, default="", db_default="")
    harness_name = models.CharField(max_length=80, blank=True, default="", db_default="")
    tools = models.CharField(max_length=200, blank=True, default="", db_default="")
    task_memory = models.BooleanField(
        null=True, blank=True, help_text="Whether it had memory or examples from the benchmark's tasks."
    )
    trained_on_benchmark = models.BooleanField(
        null=True, blank=True, help_text="Whether a model of it was trained or tuned on the benchmark."
    )
    cost_per_task = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(0), MaxValueValidator(MOST_DOLLARS)]
    )
    seconds_per_task = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(0), MaxValueValidator(MOST_SECONDS)]
    )
    run_on = models.DateField(null=True, blank=True)
    fhir_image = models.CharField(
        max_length=71, blank=True, default="", db_default="", validators=[RegexValidator(IMAGE_DIGEST)]
    )

    class Meta:
        abstract = True


CONDITIONS = tuple(field.name for field in Conditions._meta.fields)


class Release(models.Model):
    """What a submission is a run of, as its submitter states it. "": not stated.

    commit: of the system's code, 7 to 64 hexadecimal digits
    run_url: the page of the run, such as a job of CI; https alone
    """

    version = models.CharField(max_length=80, blank=True, default="", db_default="")
    commit = models.CharField(max_length=64, blank=True, default="", db_default="")
    run_url = models.URLField(max_length=300, blank=True, default="", db_default="")
    note = models.CharField(max_length=500, blank=True, default="", db_default="")

    class Meta:
        abstract = True

    @property
    def has_release(self) -> bool:
        """Whether any of it is stated."""
        return any(getattr(self, name) for name in RELEASE)


RELEASE = tuple(field.name for field in Release._meta.fields)


class Facts(Conditions):
    """Facts about a system, kept with the system and, as of its time, in each row of a board."""

    name = models.CharField(max_length=120)
    model_names = models.JSONField(default=list, help_text="Names of the models it runs on.")
    organisation = models.CharField(max_length=120, blank=True)
    interaction = models.CharField(max_length=20, choices=Interaction, blank=True)
    retrieval = models.CharField(max_length=20, choices=Retrieval, blank=True)
    reasoning = models.CharField(max_length=20, choices=Reasoning, blank=True)
    open_weights = models.BooleanField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def traits(self) -> list[str]:
        """The known traits in English words."""
        weights = {True: "open weights", False: "closed weights", None: ""}[self.open_weights]
        harness = self.get_harness_display()
        return [
            word
            for word in (
                self.get_interaction_display().lower(),
                self.get_retrieval_display().lower() if self.retrieval != Retrieval.NONE else "no retrieval",
                f"reasons in {self.get_reasoning_display().lower()}" if self.reasoning else "",
                weights,
                harness[:1].lower() + harness[1:],
                "had memory of the tasks" if self.task_memory else "",
                "trained on this benchmark" if self.trained_on_benchmark else "",
            )
            if word
        ]


class System(Facts):
    """An agent with its models.

    It belongs to a team or, with `source`, is known from a publication only.
    """

    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.PROTECT, related_name="systems")
    code_url = models.URLField(blank=True, max_length=300)
    paper_url = models.URLField(blank=True, max_length=300)
    source = models.CharField(
        max_length=200, blank=True, help_text="For a system as published elsewhere: its source."
    )
    source_url = models.URLField(blank=True, max_length=300)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint("team", Lower("name"), name="system_name_once_a_team"),
            models.UniqueConstraint(
                "source", Lower("name"), condition=Q(team__isnull=True), name="system_name_once_a_source"
            ),
            # A system has a team or a source, not both.
            models.CheckConstraint(
                condition=Q(team__isnull=False, source="") | (Q(team__isnull=True) & ~Q(source="")),
                name="system_has_team_or_source",
            ),
            models.CheckConstraint(condition=~Q(name=""), name="system_has_name"),
        ]

    def __str__(self) -> str:
        return self.name
