"""Lines of web pages that are no steps: bylines, dates, ratings, buttons to share and print, notices of cookies."""

from __future__ import annotations

import re

from kgscripts.text.lexicon import word_classes

_LONGEST = 300

_PAGE = r"(?:recipe|article|page|post|story|guide|how-?to|tutorial|video)"
_SITE = r"(?:facebook|twitter|x|instagram|pinterest|whatsapp|reddit|tiktok|youtube|linkedin|social\s+media|e-?mail)"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = (
    rf"(?:{_MONTH}\s+\d{{1,2}}|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}"
    r"|\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}|\d+\s+\w+\s+ago)"
)
_ALIKE = re.compile(
    rf"""(?:{_PAGE}\s+)?(?:last\s+)?(?:updated|modified|edited|published|posted|reviewed)(?:\s+on)?\s*:?\s*{_DATE}.*
    | (?:{_PAGE}\s+)?last\s+(?:updated|modified|edited|reviewed)\b.*
    | (?:(?:co-?)?(?:authored|written|posted|published|reviewed|contributed|submitted)
        |recipe|photos?|photograph[sy]?|pics?|pictures?|image|words|text|story)\s+(?:and\s+\w+\s+)?(?:by|credit|courtesy\s+of)\b.*
    | (?:authors?|(?:photo|image)(?:\s+credit)?|credits?|(?:image\s+)?source)\s*:.*
    | (?:share|tweet|pin|print|save|e-?mail|bookmark|rate|review|like)\s+this\s+{_PAGE}
        (?:\s+(?:on|to|with|via|by|for)\b.*)?
    | (?-i:(?:Share|Pin|Print|Save|Rate)\s+(?:The\s+)?Recipe)
    | (?:share|follow|find|join|like)\s+(?:(?:this|us|me|it)\s+)?(?:on|via)\s+{_SITE}\b.*
    | share\s+this | pin\s+it | tweet | share(?:\s+this)?(?:\s*[|,:•]\s*|\s+){_SITE}\b.*
    | jump\s+to\s+(?:the\s+)?{_PAGE} | skip\s+to\s+(?:main\s+)?content
    | (?:this|our)\s+(?:web)?site\s+uses\s+cookies\b.* | (?:accept|reject|manage|allow)\s+(?:all\s+)?cookies
    | we\s+(?:and\s+our\s+partners\s+)?use\s+cookies\s+(?:and|on
        |to\s+(?:improve|ensure|personali[sz]e|give|offer|provide|analy[sz]e|enhance|deliver|make\s+sure))\b.*
    | by\s+(?:continuing|using|browsing)\b.*\b(?:site|cookies)\b.* | cookies?\s+(?:policy|settings|preferences|notice)
    | privacy\s+policy.* | terms\s+(?:of\s+(?:use|service)|(?:and|&)\s+conditions).*
    | .{{0,60}}\ball\s+rights\s+reserved\b.* | (?:©|\(c\)|copyright)[\s©]*(?:\(c\)\s*)?\d{{4}}.*
    | (?:this\s+{_PAGE}\s+)?(?:may\s+)?contains?\s+affiliate\s+links\b.*
    | (?-i:[A-Z])[^|.!?]{{1,50}}(?:\s\|\s+(?-i:[A-Z])[^|.!?]{{1,50}}){{2,}}
    | (?:newer|older)\s+{_PAGE}s?\s*\|.*
    | advertisements? | sponsored(?:\s+content)? | read\s+more | (?:related|more|similar|popular)\s+{_PAGE}s
    | you\s+(?:may|might)\s+also\s+(?:like|enjoy)\b.*
    | subscribe(?:\s+(?:to|for)\s+(?:our|my|the)\b.*)? | leave\s+a\s+(?:comment|reply|review|rating).*
    | (?:was|did|have|do)\s+(?:this|you)\b.*\b(?:this|the)\s+{_PAGE}\b.*\? | was\s+this\s+{_PAGE}\s+helpful.*
    | (?:rated|rating)?[\s:]*\d(?:[.,]\d+)?\s*(?:(?:/\s*5|out\s+of\s+5)\b.*|from\s+\d.*|stars?)
    | (?:[★☆⭐✩✭]\s*){{3,5}}[(\d.,/\s]*(?:\w+\s*)?\)?
    | [\d.,]+k?\s+(?:reviews?|ratings?|comments?|shares?|views?|votes?|likes?)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_NAME = r"(?:[A-Z][\w.'’-]*|de|van|von|da|di)"
_BYLINE = re.compile(rf"[Bb]y:?\s+[A-Z][\w.'’-]+(?:\s+{_NAME}){{1,3}}(?:\s*[|,•·–—-].*)?")


def _any(label: str) -> str:
    """The words of a class of ``page_lines.txt``, as alternatives of a pattern."""
    return "|".join(sorted(map(re.escape, word_classes("kgscripts.corpora", "page_lines.txt")[label]), reverse=True))


_LABELLED = re.compile(
    rf"(?:{_any('label')})\s*:.*|(?:filed|posted)\s+(?:in|under)\s.*|(?:#\w+[\s,]*){{2,}}", re.IGNORECASE
)
_ASKING = re.compile(
    rf"(?:(?:please|now|and|go and|then)\s+)?(?:{_any('asking')})\b"
    rf"(?=.*\b(?:{_any('whose')})\b.*\b(?:{_any('of a page')})\b).*",
    re.IGNORECASE,
)
_SELLING = re.compile(
    rf"(?:{_any('asking')})\b.*\b(?:\d+\s*(?:%|percent)(?:\s*off)?\s+(?:your|our|on|all|every)"
    r"|free\s+(?:shipping|delivery)|code\s+\w+\s+at\s+(?:the\s+)?checkout)(?:\W.*|$)"
    r"|(?:.*[|·•,–—-]\s*)?\d+\s*(?:-\s*)?min(?:ute)?s?\s+read"
    r"|(?:thanks|thank\s+you)\s+for\s+(?:reading|watching|stopping|visiting|your\s+interest)\b.*"
    r"|more\s+from\s+(?:our|us|this)\b.*|read\s+on\s+(?:for|to)\b.*",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\S)")


def is_boilerplate(line: str) -> bool:
    """Whether a line, or each of its sentences, belongs to the page that a text was on, and not to the text."""
    return len(line) <= _LONGEST and (
        _is_boilerplate(line) or all(map(_is_boilerplate, _SENTENCE_END.split(line.strip())))
    )


def _is_boilerplate(line: str) -> bool:
    line = line.strip(" \t\r\n*_#>|•·-–—")
    if not line:
        return False
    line = line.rstrip(".!: ")
    return any(pattern.fullmatch(line) for pattern in (_ALIKE, _BYLINE, _LABELLED, _ASKING, _SELLING))
