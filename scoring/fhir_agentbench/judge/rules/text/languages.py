"""Detect answers in a language that the rules do not read."""

import re

# Words of other languages that are in no English sentence; one of them suffices.
_CLEAR_TEXT = """
nicht kein keine keinen keiner wurde wurden nein ja patientin insgesamt hatte aucun aucune été patiente oui
ninguno ninguna ningún fue paciente sí veces recibió había nessun nessuno nessuna paziente stata não nenhum
nenhuma foi recebeu geen niet werd patiënt ingen inte ikke niemals jamais nunca
"""
# Words of which short answers in other languages are made: months, numbers, sex, marital status, specimens,
# places, words of time. One of them suffices where nothing in the answer is English.
_SHORT_TEXT = """
abril abstrich acht admis agli agosto alla alle alta anglais anni année ano anos ans antwort août aprile
aucun aucune aufnahme aus avril años bis blut casada casado celibe chez chirurgia chirurgie cinco cinq
cinque circa cirugía cirurgia crachat cuatro célibataire da dal dalla das degli dei della delle dello dem
den dernier dernière des deux dezember dezembro dia dias dicembre diciembre dieci diez dimesso divorciada
divorciado divorcé divorziato dix do dois donna dos douze drei dreimal duas due décembre día días einmal
eins elf enero englisch entlassen entlassung environ ergebnis erste ersten erster esputo febbraio febrero
februar femenino feminino femme femmina femminile fevereiro frau féminin février fünf gegen gennaio
gering geschieden giorni giorno giugno harn herr heure heures hombre homem homme hora horas huit inglese
inglés inglês ingreso innere internação ja jahre jamais janeiro januar janvier jo jour jours juillet juin
julho juli julio junho juni junio kardiologie kein keine keiner keins kyllä ledig letzte letzten letzter
luglio maggio mai maio mann marié mariée mars marzo março maschile maschio masculin masculino mayo meses
mesi mois monate muestra mujer mulher männlich märz na nach nada nas nee nein nej nel nella nello nenhum
nenhuma neuf neun nichts nie niemand niente ninguno no nos notaufnahme nove novembre novembro noviembre
nubile nueve nulla nunca ocho octobre octubre ohne oito oktober onze ora ore orina otto ottobre oui
outubro pela pelo personne premier première prima primeira primeiro primera primo pronto quatre quatro
quattro resposta respuesta resultado ricovero rien risposta risultato réponse résultat sang sangre sangue
sechs sei seis seit semaines semanas sept septembre septiembre sete setembro sette settembre settimane si
sieben siete sim soccorso solteira solteiro soltera soltero sorti sous sposata sposato stunden sur tag
tage tak tre tres trois três uhr ultima ultimo um uno unter uomo urgences urgencias urgência urin urina
urines varón vedova vedovo verheiratet verlegt vers verwitwet veuf veuve vier viuda viudo viúva viúvo vom
vor weiblich wochen zehn zuletzt zum zwei zweimal zwölf última último über
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
_SHORT = frozenset(_SHORT_TEXT.split()) - {
    "no",
    "do",
    "prima",
    "uno",
    "sang",
    "mars",
    "alle",
    "personne",
    "si",
    "ore",
    "nos",
}
_CLEAR, _ENGLISH = frozenset(_CLEAR_TEXT.split()), frozenset(_ENGLISH_TEXT.split())
_FOREIGN = _CLEAR | frozenset(_FOREIGN_TEXT.split())
_WORD = re.compile(r"[^\W\d_]+")
# Letters that English has in no word of its own.
_ACCENT = re.compile(r"[à-öø-ÿąćęłńśźżčďěňřšťůžőű]", re.I)
# Letters of scripts other than Latin, Greek (units) and Chinese.
_OTHER_SCRIPT = re.compile(r"[\u0400-\u1cff\u2c00-\u2dff\u3040-\u30ff\ua000-\ud7ff]")
_READ = 2_000  # characters


# Endings of German and Romance words that names in English seldom have.
_FOREIGN_ENDING = re.compile(
    r"(?:kultur|chlorid|natrium|kalium|säure|ung|keit|heit|schaft|logie|gra(?:f|ph)ie|skopie|ektomie|"
    r"log[ií]a|graf[ií]a|scopia|zione|"
    r"ç[ãa]o|ci[óo]n|ique|idade?|ina|ino|oso|osa|ado|ada|isch|lich)$",
    re.I,
)


def may_be_foreign(text: str) -> bool:
    """Check whether a short `text` without an English word may be a name in another language."""
    found = _WORD.findall(text[:_READ])
    return not any(word.casefold() in _ENGLISH for word in found) and any(
        len(word) > 5 and _FOREIGN_ENDING.search(word) for word in found
    )


def is_english(text: str) -> bool:
    """Check whether `text` is a sentence in English: it has two words that only English has."""
    return sum(word.casefold() in _ENGLISH for word in _WORD.findall(text[:_READ])) > 1


def is_unread_language(text: str) -> bool:
    """Check whether `text` is mainly in a language other than English and Chinese, or seems to be."""
    text = text[:_READ]
    if _OTHER_SCRIPT.search(text):
        return True
    words = [word.casefold() for word in _WORD.findall(text)]
    foreign = sum(word in _FOREIGN for word in words)
    is_clear = foreign > 1 or any(word in _CLEAR for word in words)
    english = sum(word in _ENGLISH for word in words)
    if not english and (_ACCENT.search(text) or any(word in _SHORT for word in words)):
        return True
    return is_clear and foreign > english
