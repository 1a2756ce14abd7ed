"""Translate simple Chinese answers, traditional and simplified, into words of the rules."""

import re

_CJK = re.compile(r"[\u3400-\u9fff]")
_SEAM = re.compile(r"(?<=[\u3400-\u9fff])(?=[0-9A-Za-z])|(?<=[0-9A-Za-z])(?=[\u3400-\u9fff])")
_DIGITS = {**dict(zip("〇零一二三四五六七八九十", [0, *range(11)], strict=True)), "两": 2, "兩": 2}
_DATE = re.compile(r"(\d{4})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?[日號号]?")
_MONTH = re.compile(r"(\d{4})\s?年\s?(\d{1,2})\s?月")
_CLOCK = re.compile(
    r"(上午|凌晨|早上|中午|下午|晚上)?\s?(\d{1,2})\s?[時时點点:]\s?(?:(\d{1,2})\s?分?)?(?!\d|\s?間|\s?间)"
)
_COUNTED = re.compile(r"([〇零一二三四五六七八九十两兩])(?=\s?[次天日個个小月年週周位種种名筆笔])")
_OPENING = re.compile(
    r"^\W*(是的|是|有的|有|對的|對|对的|对|正確|正确|否|不是|不對|不对|沒有|没有|[無无](?!法)|未(?![能必]))"
)
_YES = frozenset(("是的", "是", "有的", "有", "對的", "對", "对的", "对", "正確", "正确"))
# Longer words come before their prefixes.
_WORDS = (
    (re.compile(r"最多"), " at most "),
    (re.compile(r"最少|至少"), " at least "),
    (re.compile(r"超過|超过|多於|多于"), " more than "),
    (re.compile(r"少於|少于|不到|不足"), " less than "),
    (re.compile(r"無法|无法|不能|未能"), " unable to "),
    (re.compile(r"無?法?確定|无?法?确定"), " determine "),
    (
        re.compile(r"找不到|查無|查无|並無|并无|沒有|没有|不存在|不曾|從未|从未|未曾|尚未|[無无未沒没否不]"),
        " no ",
    ),
    (re.compile(r"[記纪记紀][錄录]|資料|数据|數據|資訊|信息"), " record "),
    (re.compile(r"可能|也許|也许|大概|或許|或许"), " possibly "),
    (re.compile(r"或者|或是|或"), " or "),
    (re.compile(r"但是|不過|不过|然而|但"), " but "),
    (re.compile(r"和|與|与|及|、"), ", "),
    (re.compile(r"男性?"), " male "),
    (re.compile(r"女性?"), " female "),
    (re.compile(r"小時|小时"), " hours "),
    (re.compile(r"分鐘|分钟"), " minutes "),
    (re.compile(r"天|日"), " days "),
    (re.compile(r"次"), " times "),
    (re.compile(r"毫克"), " mg "),
    (re.compile(r"毫升"), " ml "),
    (re.compile(r"[。！？]"), ". "),
)


def has_chinese(text: str) -> bool:
    """Check whether `text` contains a Chinese character."""
    return _CJK.search(text) is not None


def translate(text: str) -> str:
    """Return `text` with the Chinese words that a rule needs in English; others are unchanged."""
    opening = _OPENING.match(text)
    text = _DATE.sub(lambda match: f" {match[1]}-{int(match[2]):02}-{int(match[3]):02} ", text)
    text = _MONTH.sub(lambda match: f" in {match[1]} ", text)
    text = _CLOCK.sub(_clock, text)
    text = _COUNTED.sub(lambda match: f" {_DIGITS[match[1]]} ", text)
    for pattern, word in _WORDS:
        text = pattern.sub(word, text)
    text = _SEAM.sub(" ", text)
    if opening:
        text = ("Yes, " if opening[1] in _YES else "No, ") + text
    return text


def _clock(match: re.Match[str]) -> str:
    hour = int(match[2])
    if match[1] in ("下午", "晚上") and hour < 12:
        hour += 12
    return f" {hour:02}:{int(match[3] or 0):02} "
