"""Update the translation catalogues, and list what is not translated: `make messages`."""

import os

import django


def main() -> None:
    # Once Django is set up.
    from tools.messages import catalogue  # noqa: PLC0415

    for language in catalogue.translated_languages():
        written = [message for texts in catalogue.update(language) for message in texts if message.id]
        missing = [message for message in written if not catalogue.is_translated(message)]
        for message in missing:
            print(f"{', '.join(place for place, _ in message.locations)}: {message.id!r}")
        print(f"{language}: {len(written)} texts, {len(missing)} without a translation")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    django.setup()
    main()
