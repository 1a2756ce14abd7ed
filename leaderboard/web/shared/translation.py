"""What others wrote in English, in the language of the page."""

from django.utils.translation import gettext, ngettext

from scoring.reading.messages import Phrase


def in_words(text: str) -> str:
    """Return `text`, such as the message of a remark, in the active language, its values as they are.

    English, as it is, where there is no translation or one that does not fit the values.
    """
    try:
        return _in_words(text)
    except (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError):
        # A slip of a translator must not take the page away.
        return str(text)


def _in_words(text: str) -> str:
    if not isinstance(text, Phrase):
        # The catalogue has its own head under the empty text.
        return gettext(text) if text else ""
    if not text.values:
        return in_words(text.template)
    if text.plural:
        template = ngettext(text.template, text.plural, int(text.values["n"]))
    else:
        template = gettext(text.template)
    values = {
        name: in_words(value) if isinstance(value, Phrase) else value for name, value in text.values.items()
    }
    return template.format_map(values)
