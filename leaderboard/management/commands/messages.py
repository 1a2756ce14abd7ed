"""Update the translation catalogues: `make messages`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = "Collect the texts of the pages into the .po files, compile them, and list what is not translated."
    # For developers: it needs no key, no database and no mail.
    requires_system_checks: tuple[str, ...] = ()

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            # Import it here: the service itself runs without Babel.
            from leaderboard.management import catalogue  # noqa: PLC0415
        except ImportError as error:
            raise CommandError("Babel is missing; make test installs it.") from error
        for language in catalogue.translated_languages():
            written = [message for texts in catalogue.update(language) for message in texts if message.id]
            missing = [message for message in written if not catalogue.is_translated(message)]
            for message in missing:
                self.stdout.write(f"{', '.join(place for place, _ in message.locations)}: {message.id!r}")
            self.stdout.write(f"{language}: {len(written)} texts, {len(missing)} without a translation")
