"""Words of farming and aid that stand for each other, in languages that the model of meaning has not learnt.

A small list of our own: whoever asks for money finds grants. A question's word counts most by itself; if a passage does
not have it, another of its group does.
"""

from __future__ import annotations

from functools import cache

from partita.apps.newsletter.service.writing.terms import word_stem
from partita.kit.search.folding import tokens

_ARABIC = (
    "مال أموال منحة منح تمويل دعم صندوق ميزانية مساعدة قرض نقود",
    "سعر أسعار ثمن رخيص أرخص غال تكلفة انخفض ارتفع",
    "سوق أسواق تجارة تجار بيع شراء تصدير صادرات الخارج استيراد",
    "ماشية مواشي أغنام ماعز خروف خراف إبل أبقار حيوان حيوانات قطيع قطعان",
    "مرض أمراض حمى وباء عدوى فيروس علاج دواء تطعيم لقاح بيطري بيطريين",
    "مطر أمطار سيول فيضان فيضانات مياه ماء بئر آبار",
    "سد سدود خزان حصاد تخزين يخزن نخزن",
    "جفاف قحط عطش قلة قليل",
    "محصول محاصيل إنتاج غلة حبوب ذرة قمح سمسم",
    "بذور بذرة صنف أصناف",
    "جوع جائع جائعين غذاء غذائي طعام مساعدات",
    "مؤتمر ملتقى ندوة اجتماع ورشة لقاء",
    "مزارع مزارعين فلاح فلاحين جمعية جمعيات زراعية",
    "شركة شركات مؤسسة مؤسسات",
    "قرية قرى ريف ريفي أهالي",
    "مرأة نساء امرأة",
    "شباب شاب",
    "خطر أخطار تهديد تحذير إنذار",
    "تربة أرض أراضي حقل حقول",
    "تحمل تتحمل يقاوم تقاوم مقاومة",
)
_AMHARIC = (
    "ገንዘብ ድጋፍ እገዛ እርዳታ ፈንድ ብድር ብር በጀት",
    "ዋጋ ርካሽ ውድ ቀነሰ ጨመረ ወጪ",
    "ገበያ ንግድ ነጋዴ ሽያጭ መሸጥ",
    "እንስሳ እንስሳት ከብት ከብቶች በግ በጎች ፍየል ፍየሎች ግመል መንጋ",
    "በሽታ ክትባት መድኃኒት ሕክምና ሐኪም ተከተቡ ተከትበዋል ጤና",
    "ዝናብ ውኃ ጎርፍ",
    "ድርቅ ረሃብ ችግር",
    "ምርት ሰብል እህል አዝመራ ጤፍ ስንዴ በቆሎ",
    "ዘር ዝርያ ምርጥ",
    "አፈር መሬት ማሳ መሸርሸር እርከን እርከኖች",
    "ስብሰባ ዐውደ ጉባኤ ጥናት ሥልጠና",
    "ወጣት ወጣቶች ጎልማሳ ጎልማሶች",
    "ገበሬ አርሶ አርብቶ",
    "ሴት ሴቶች እናት",
    "ምግብ ረሃብ መመገብ",
    "መቆጠብ መቀነስ ይቀንሳል ቀንሰዋል ቁጠባ",
    "ዘዴ መሣሪያ ቴክኖሎጂ መንገድ",
    "አሻሻለ ጨመረ አደገ መሻሻል አድጓል",
    "መንደር መንደሮች ቀበሌ",
    "ትንበያ ማስጠንቀቂያ መልእክት",
)


@cache
def _groups() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for group in (*_ARABIC, *_AMHARIC):
        words = tokens(group)
        for word in words:
            others = found.setdefault(word_stem(word), {})
            others.update(dict.fromkeys(each for each in words if word_stem(each) != word_stem(word)))
    return {stem: tuple(others) for stem, others in found.items()}


def others_for(stem: str) -> tuple[str, ...]:
    """Folded words that may stand for one, by its stem; none for a word that the list does not have."""
    return _groups().get(stem, ())
