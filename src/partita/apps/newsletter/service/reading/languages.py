"""Which language a text is in, by its script and its commonest words."""

from __future__ import annotations

import re
from collections import Counter

_SEEN = 20_000
_WORD = re.compile(r"[^\W\d_]+")


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_LATIN = {
    "en": _words("the of and to in is that for with as are was by on this from at which be an have it not were has"),
    "fr": _words("le la les des et du une dans est pour que qui sur par au avec sont pas plus ce cette aux été"),
    "es": _words("el los las de que y en del se por con una para es al lo como más su sus fue son pero entre"),
    "pt": _words("o os as de que e em do da dos das um uma para com não por mais foi são ao pelo pela entre"),
    "de": _words("der die das und in den von zu mit sich des auf für ist im dem nicht ein eine als auch es"),
    "it": _words("il lo gli le di che e la per una sono con non del della dei nel più come anche si da"),
    "sw": _words("ya na wa kwa ni katika za la hii kuwa cha vya hiyo kama hata pia wake huu kwamba au lakini watu"),
    "so": _words("iyo oo ka ku waa in la ee si uu ay ah ayaa loo soo kale waxay badan sida aan leh dadka"),
    "om": _words("fi kan akka irratti ni hin kana keessa ta'e waan isaa yoo garuu kun jiru namoota biyya"),
}
_ETHIOPIC = {
    "am": _words("ነው እና ውስጥ ላይ ነበር ወደ ግን ይህ ሲሆን እንደ መሆኑን አለ ናቸው በኋላ ዘንድ ያለ ጋር ደግሞ ተገልጿል ወይም"),
    "ti": _words("እዩ ናይ ኣብ ድማ ነቲ እቲ ካብ ከም ምስ እዚ ግን ኣለዎ ብዙሕ ክሳብ እዮም ነበረ ወይ"),
}
_ARABIC = {
    "ar": _words("في من على إلى أن التي الذي هذا هذه مع كان ما عن بين كما لم بعد أو قد ذلك وقد"),
    "fa": _words("است که این را از به با برای آن شد می های در یک است"),
    "ur": _words("کے کی ہے میں اور سے کا کو نے پر ہیں یہ کہ"),
}
_NAMES = {
    "en": "English",
    "am": "Amharic",
    "ar": "Arabic",
    "fr": "French",
    "es": "Spanish",
    "pt": "Portuguese",
    "de": "German",
    "it": "Italian",
    "sw": "Swahili",
    "so": "Somali",
    "om": "Oromo",
    "ti": "Tigrinya",
    "fa": "Persian",
    "ur": "Urdu",
}
LANGUAGES = dict(sorted(_NAMES.items(), key=lambda entry: entry[1]))
"""Code → English name of every language that is known here."""


def language_of(text: str) -> str | None:
    """The code of a text's language, or None if nothing tells."""
    seen = text[:_SEEN]
    scripts = Counter(filter(None, map(_script, seen)))
    if not scripts:
        return None
    script, _ = scripts.most_common(1)[0]
    tables = {"latin": _LATIN, "ethiopic": _ETHIOPIC, "arabic": _ARABIC}[script]
    counts = Counter(_WORD.findall(seen.lower()))
    hits = {code: sum(counts[word] for word in words) for code, words in tables.items()}
    best = max(hits, key=lambda code: hits[code])
    if hits[best]:
        return best
    return {"latin": None, "ethiopic": "am", "arabic": "ar"}[script]


def declared(tag: str) -> str | None:
    """The language of a tag such as `en-GB`, if it is one that is known here."""
    code = tag.strip().lower().replace("_", "-").partition("-")[0]
    return code if code in LANGUAGES else None


def _script(character: str) -> str | None:
    if "a" <= character <= "ɏ" or "A" <= character <= "Z":
        return "latin"
    if "\u1200" <= character <= "\u139f":
        return "ethiopic"
    if "\u0600" <= character <= "\u06ff" or "\u0750" <= character <= "\u077f":
        return "arabic"
    return None
