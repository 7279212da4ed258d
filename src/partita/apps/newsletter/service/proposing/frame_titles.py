"""Titles of the sections of frames in other languages; each announces what the English one does."""

from __future__ import annotations

_AMHARIC = {
    "Summary": "ማጠቃለያ",
    "Background and problem": "መነሻ እና ችግር",
    "Objectives": "ዓላማዎች",
    "Approach": "አቀራረብ",
    "Expected results": "የሚጠበቅ ውጤት",
    "Partners and experience": "አጋሮች እና ልምድ",
    "Budget": "በጀት",
    "Executive summary": "አጭር ማጠቃለያ",
    "Context and needs": "መነሻ እና ፍላጎቶች",
    "Goal and objectives": "ግብ እና ዓላማዎች",
    "Activities and method": "ተግባራት እና ዘዴ",
    "Results and indicators": "ውጤት እና አመልካቾች",
    "Monitoring, evaluation and learning": "ክትትል፣ ግምገማ እና ትምህርት",
    "Risks": "የስጋት ትንተና",
    "Sustainability": "ዘላቂነት",
    "Gender and inclusion": "ሥርዓተ ጾታ እና አካታችነት",
    "Organisation and team": "ድርጅት እና ቡድን",
    "Work plan": "የሥራ ዕቅድ",
    "Opening": "መክፈቻ",
    "What we propose": "የምናቀርባቸው ተግባራት",
    "Why us": "ስለ እኛ",
    "Cost and time": "ወጪ እና የጊዜ ሰሌዳ",
    "Closing": "መዝጊያ",
}
_ARABIC = {
    "Summary": "الملخص",
    "Background and problem": "الخلفية والمشكلة",
    "Objectives": "الأهداف",
    "Approach": "النهج",
    "Expected results": "النتائج المتوقعة",
    "Partners and experience": "الشركاء والخبرة",
    "Budget": "الميزانية",
    "Executive summary": "الملخص التنفيذي",
    "Context and needs": "السياق والاحتياجات",
    "Goal and objectives": "الهدف العام والأهداف",
    "Activities and method": "الأنشطة والمنهجية",
    "Results and indicators": "النتائج المتوقعة والمؤشرات",
    "Monitoring, evaluation and learning": "المتابعة والتقييم والتعلم",
    "Risks": "المخاطر",
    "Sustainability": "الاستدامة",
    "Gender and inclusion": "النوع الاجتماعي والشمول",
    "Organisation and team": "المنظمة وفريقها",
    "Work plan": "خطة العمل",
    "Opening": "الافتتاحية",
    "What we propose": "الأنشطة التي نقترحها",
    "Why us": "من نحن",
    "Cost and time": "التكلفة والجدول الزمني",
    "Closing": "الخاتمة",
}
_TITLES = {"am": _AMHARIC, "ar": _ARABIC}


def title_in(language: str, title: str) -> str:
    """The title of a frame's section in a language; English where there is none yet."""
    return _TITLES.get(language, {}).get(title, title)
