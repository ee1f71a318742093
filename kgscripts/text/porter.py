"""Stems of English words: the Porter stemmer with the extensions of NLTK, with which OpenPI's evaluator compares.

Porter (1980), *An algorithm for suffix stripping*, steps 1a to 5b, and the rules that NLTK's default mode adds
(``nltk.stem.PorterStemmer()``). The stems are NLTK's; importing NLTK takes longer than scoring a corpus.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

_IRREGULAR = {
    "skies": "sky",
    "sky": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "innings": "inning",
    "inning": "inning",
    "outings": "outing",
    "outing": "outing",
    "cannings": "canning",
    "canning": "canning",
    "howe": "howe",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}
"""NLTK's irregular forms."""

_Rules = Mapping[str, str]
"""Suffixes and their replacements; the first that fits is applied."""
_STEP_2: _Rules = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "bli": "ble",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
    "fulli": "ful",
}
_STEP_3: _Rules = {
    "icate": "ic",
    "ative": "",
    "alize": "al",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
}
_STEP_4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion"),
    *("ou", "ism", "ate", "iti", "ous", "ive", "ize"),
)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of a word in lower case."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _step_1c(_step_1b(_step_1a(word)))
    word = _replaced(_step_2(word), _STEP_3)
    return _step_5(_step_4(word))


def _shape(word: str) -> str:
    """Each character of a word as a consonant ("c") or a vowel ("v"); y is a vowel after a consonant."""
    shape = ""
    for char in word:
        shape += "v" if char in "aeiou" or (char == "y" and shape.endswith("c")) else "c"
    return shape


def _measure(word: str) -> int:
    """Porter's measure m: how often a consonant follows a vowel."""
    return _shape(word).count("vc")


def _ends_cvc(word: str) -> bool:
    """Porter's condition *o, and NLTK's extension of it to words of two letters."""
    shape = _shape(word)
    return (shape.endswith("cvc") and word[-1] not in "wxy") or shape == "vc"


def _replaced(word: str, rules: _Rules) -> str:
    """The first suffix that fits is replaced if what precedes it has a positive measure."""
    if not word.endswith(tuple(rules)):
        return word
    for suffix, replacement in rules.items():
        if word.endswith(suffix):
            start = word.removesuffix(suffix)
            return start + replacement if _measure(start) else word
    return word


def _step_1a(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _step_1b(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    start = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    shape = _shape(start)
    if "v" not in shape:
        return word
    if start.endswith(("at", "bl", "iz")):
        return start + "e"
    if len(start) >= 2 and start[-1] == start[-2] and shape[-1] == "c":
        return start if start[-1] in "lsz" else start[:-1]
    return start + "e" if shape.count("vc") == 1 and _ends_cvc(start) else start


def _step_1c(word: str) -> str:
    # NLTK: after a consonant (happy, but not enjoy) that is not the first letter.
    changes = word.endswith("y") and len(word) > 2 and _shape(word)[-2] == "c"
    return word[:-1] + "i" if changes else word


def _step_2(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]):
        return _step_2(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) else word
    return _replaced(word, _STEP_2)


def _step_4(word: str) -> str:
    if not word.endswith(_STEP_4):
        return word
    for suffix in _STEP_4:
        if word.endswith(suffix):
            start = word.removesuffix(suffix)
            removed = _measure(start) > 1 and (suffix != "ion" or start[-1] in "st")
            return start if removed else word
    return word


def _step_5(word: str) -> str:
    if word.endswith("e"):
        start = word[:-1]
        measure = _measure(start)
        if measure > 1 or (measure == 1 and not _ends_cvc(start)):
            word = start
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
