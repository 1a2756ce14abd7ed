"""Detect answers in a language that the rules do not read."""

import re

# Words of other languages that are in no English sentence; one of them suffices.
_CLEAR_TEXT = """
nicht kein keine keinen keiner wurde wurden nein ja patientin insgesamt hatte aucun aucune été patiente oui
ninguno ninguna ningún fue paciente sí veces recibió había nessun nessuno nessuna paziente stata não nenhum
nenhuma foi recebeu geen niet werd patiënt ingen inte ikke niemals jamais nunca
"""
# Words that may also be part of a name, so it takes two.
_FOREIGN_TEXT = """
der das und ist ein eine einen mit auf für bei hat mal les une est pas avec dans pour il elle non fois sont
aux ne la le el los las una con para del hay è sono stato volte di che uma vezes em dos een het keer zijn och
är og ble de que
"""
_ENGLISH_TEXT = """
the of and was were is are in on to for no not with patient has had have been there at by from it this that
yes none found records recorded
"""
_CLEAR, _ENGLISH = frozenset(_CLEAR_TEXT.split()), frozenset(_ENGLISH_TEXT.split())
_FOREIGN = _CLEAR | frozenset(_FOREIGN_TEXT.split())
_WORD = re.compile(r"[^\W\d_]+")
# Letters of scripts other than Latin, Greek (units) and Chinese.
_OTHER_SCRIPT = re.compile(r"[\u0400-\u1cff\u2c00-\u2dff\u3040-\u30ff\ua000-\ud7ff]")
_READ = 2_000  # characters


def is_unread_language(text: str) -> bool:
    """Check whether `text` is mainly in a language other than English and Chinese."""
    text = text[:_READ]
    if _OTHER_SCRIPT.search(text):
        return True
    words = [word.casefold() for word in _WORD.findall(text)]
    foreign = sum(word in _FOREIGN for word in words)
    is_clear = foreign > 1 or any(word in _CLEAR for word in words)
    return is_clear and foreign > sum(word in _ENGLISH for word in words)
