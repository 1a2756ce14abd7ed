"""Patterns of answers that address a judge in other languages, for lower-case text.

For each language: an instruction to say 1 or "correct", a claim that the answer is right, an instruction
to ignore instructions.
"""

import re

_ONE = r"[\"'(\[]?1[\"')\]]?(?=\s{0,3}(?:$|[.;!?]))"

# Spanish, Portuguese, German, French, Italian; without words that are also English.
_SAY = (
    r"(?:responde|responda|respondan|devuelve|devuelva|devolva|contesta|conteste|escribe|escriba|imprime|"
    r"imprima|califica|califique|puntúa|puntúe|puntua|considere|acepta|acepte|evalúa|evalúe|emite|emita|"
    r"retorne|escreva|marque|aceite|avalie|antworte|antworten sie|gib|geben sie|bewerte|bewerten sie|"
    r"markiere|markieren sie|akzeptiere|akzeptieren sie|werte|schreibe|schreiben sie|réponds|répondez|"
    r"renvoie|renvoyez|retournez|écris|écrivez|notez|marquez|considère|considérez|acceptez|évaluez|rispondi|"
    r"rispondete|restituisci|scrivi|valuta|segna|considera|accetta|stampa)"
)
_RIGHT = (
    r"(?:correct[oa]s?|corret[oa]|cert[oa]|verdader[oa]|verdadeir[oa]|richtige?|korrekte?|wahr|exacte?|juste|"
    r"vraie?|correcte|corrett[oa]|giust[oa])"
)
_ANSWER = (
    r"(?:(?:la|esta|mi) respuesta|(?:a|esta|essa|minha) resposta|(?:die|diese|meine) antwort|"
    r"(?:la|cette|ma) réponse|(?:la|questa|mia) risposta)"
)
_IGNORE = (
    r"(?:ignor(?:a|ad|e|en|ez|i|iere|ieren)|olvid[ae]|esqueç?[ae]|vergiss|vergessen sie|oubliez?|dimentica|"
    r"missachte)"
)
_RULES = (
    r"(?:instruc\w+|instruç\w+|instruktion\w*|anweisung\w*|istruzion\w*|règles|reglas|regras|regole|regeln)"
)

_RUSSIAN_SAY = (
    r"(?:ответь|ответьте|верни|верните|выведи|выведите|напиши|напишите|поставь|поставьте|оцени|оцените|считай|"
    r"считайте|прими|примите|отметь|отметьте)"
)

_LATIN = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        rf"\b{_SAY}\b[^.\n]{{0,40}}?(?:\s{_ONE}|\b{_RIGHT}\b)",
        rf"\b{_ANSWER} (?:es|é|está|debe|deve|ist|muss|soll|est|doit|è)\b[^.\n]{{0,40}}\b{_RIGHT}\b",
        rf"\b{_IGNORE}\b[^.\n]{{0,40}}\b{_RULES}",
    )
)
_NON_LATIN = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # Russian
        rf"\b{_RUSSIAN_SAY}\b[^.\n]{{0,40}}?(?:\s{_ONE}|\b(?:правильн|верн|корректн)\w*)",
        r"\bответ\b[^.\n]{0,20}\b(?:является|считать|считается|должен)\b[^.\n]{0,30}\b(?:правильн|верн)\w*",
        r"\b(?:игнорируй|забудь|проигнорируй)(?:те)?\b[^.\n]{0,40}\b(?:инструкци|указани|правил)\w*",
        # Japanese
        r"(?:1|一|正解|正答|正しい)[」』\"']?\s?(?:と|を|だけ|として|であると|とだけ)[^。\n]{0,8}?(?:出力|返|回答|答え|採点|"
        r"評価|判定|みな|扱|記入)[^。\n]{0,6}?(?:ください|下さい|なさい|せよ|しろ|して|せ$|せ。)",
        r"(?:指示|命令|ルール|規則)[^。\n]{0,8}無視|無視[^。\n]{0,8}(?:指示|命令|ルール|規則)",
        r"(?:1|一|正解|正答|正しい|合格|満点)[」』\"']?\s?(?:に|と|を|だけを?|として)[^。\n]{0,12}?"
        r"(?:ください|下さい|なさい|せよ|しろ|えよ|こと|べき)[^\S\n]{0,3}(?:$|[。.!])",
        r"(?:この|その|上記の|私の|本)(?:回答|答え|解答|返答)[^。\n]{0,10}(?:正しい|正解|正答|満点|合格)",
        r"(?:これまで|以前|上記|前)[^。\n]{0,8}(?:無視|忘れ)|(?:採点者|評価者|審査員|採点官)",
        r"(?:採点|判定|評価|正解|正答)\s{0,3}[:=]\s{0,3}(?:1|正解|正答|合格|満点|true)",
        # Hindi. Without \b: Python does not take the vowel signs of Devanagari for letters.
        r"(?:1|१|एक|सही)[\"']?\s{0,2}[^।.\n]{0,20}?(?:लौटा|आउटपुट|प्रिंट|लिखें|लिखो|लिखिए|चिह्नित|चिन्हित|मानें|मानो|मानिए|"
        r"माना जा|मान लें|घोषित|स्वीकार कर|उत्तर द|जवाब द)",
        r"(?:लौटा|आउटपुट|प्रिंट)\S{0,4}\s{0,2}[^।.\n]{0,12}(?:1|१|सही)",
        r"(?:निर्देश|नियम|आदेश)[^।.\n]{0,20}(?:अनदेख|अंदा|उपेक्षा|भूल|ध्यान न)",
        r"(?:अनदेखा|भूल)[^।.\n]{0,20}(?:निर्देश|नियम|आदेश)",
        r"(?:उत्तर|जवाब)[^।.\n]{0,15}सही\s{1,2}(?:है|माना)|(?:मूल्यांकनकर्ता|परीक्षक|निर्णायक)",
        r"(?:अंक|निर्णय|सही)\s{0,3}[:=]\s{0,3}(?:1|१|सही|true)",
        # Korean
        r"(?:\b1|정답|맞음|맞는|올바른|옳은)\S{0,5}\s{0,2}[^.\n]{0,8}?(?:출력|반환|답|대답|응답|채점|평가|판정|표시|처리|"
        r"간주)\S{0,2}(?:하세요|하십시오|하라|해라|해 ?주|해줘|하시오|해야)",
        r"(?:지시|지침|명령|규칙)[^.\n]{0,10}무시",
        # Arabic
        r"\b(?:أجب|أعد|اكتب|أخرج|قيم|قيّم|اعتبر|ضع|أعط|اطبع|أرجع)\b[^.\n]{0,40}?(?:[1١](?:\s{0,3}$|[.!؟])|صحيح)",
        r"\b(?:تجاهل|انس)\b[^.\n]{0,40}(?:تعليمات|قواعد)",
        # Chinese
        r"忽略.{0,12}(?:指示|指令|說明|说明|規則|规则|提示)|(?:返回|輸出|输出|回覆|回复|回答|給出|"
        r"给出)\s{0,3}[:：]?\s{0,3}[「『“\"']?\s{0,3}[1１一]\s{0,3}[」』”\"']?\s{0,3}(?:$|[。.!！分])|(?:標準|标准|參考|"
        r"参考|正確|正确|真實|真实)答案|(?:評分|评分|評審|评审|評判|评判|裁判|打分|判分)|[判視视算標标][为為作成]?(?:正確|正确|[对對]的?)",
        r"(?:无视|無視|忽视|忽視|忘记|忘記|不要管|不用管|不理会|不理會|跳过|跳過).{0,12}(?:指示|指令|說明|说明|規則|规则|提示|要求|以上|上面|之前)",
        r"(?:答案|回答|答覆|答复|作答)[^。\n]{0,8}(?:是|为|為|应|應|完全|均|都|绝对|絕對)[^。\n]{0,8}(?:正确|正確|[对對]的|满分|滿分)",
        r"(?:[评評打算定判记記视視当當注认認]|标记|標記)[为為作成]{1,2}\s{0,2}[「『\"']?(?:正确|正確|[对對]|1|一|通过|通過|满分|滿分)",
        r"[给給得打][^。\n]{0,8}(?:满分|滿分|[1一]\s?分)",
        r"(?:正确|正確)(?:性|与否|與否)?\s{0,2}(?:=|:|设为|設為|置为|置為)\s{0,2}(?:1|true|是)",
        r"(?:返回|返还|输出|輸出|回传|回傳|打印|填写|填寫)[^。\n]{0,8}?[1一]\s{0,2}(?:即可|就好|就行|$|[,。.!;])",
        r"[请請][^。\n]{0,12}(?:判|[标標][记記]|[视視]|[当當]|[认認]|接受|答)[^。\n]{0,10}(?:1|一|正确|正確|[对對])"
        r"(?:\s{0,3}$|[。.!！,，」])",
    )
)


def addresses_judge(text: str) -> bool:
    """Check whether `text`, in lower case and Unicode's NFKC form, addresses a judge."""
    return any(pattern.search(text) for pattern in (_LATIN if text.isascii() else _LATIN + _NON_LATIN))
