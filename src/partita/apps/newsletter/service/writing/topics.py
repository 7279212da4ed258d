"""How the twelve topics are written about: the weighted words by which passages are found, and the shape of stories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from partita.apps.newsletter.formats import TOPICS as LABELS
from partita.apps.newsletter.formats import topic_id
from partita.apps.newsletter.service.writing.values import Language, Shape


@dataclass(frozen=True, slots=True)
class Topic:
    """A kind of content that a newsletter may have."""

    id: str
    shape: Shape
    words: Mapping[Language, str]
    """What it is found by: words with a weight after a colon, 1 without one."""

    @property
    def label(self) -> str:
        """As it is stored and read."""
        return LABELS[self.id]


TOPICS: tuple[Topic, ...] = (
    Topic(
        "breaking_news",
        "news",
        {
            "en": "news:2 alert:3 outbreak:2 emergency:1.5 warn:2 bulletin:3 swarm:2.5 crossed:2 began:1"
            " spread:1.5 stocks:1.5 officials:1.5 report:1 flood:1.5 breeding:1.5 latest:1 pest:1.5"
            " locust:2.5",
            "am": "ዜና:3 ማስጠንቀቂያ:2.5 ወረርሽኝ:2.5 አስቸኳይ:2 ጎርፍ:2 አንበጣ:2.5 ሪፖርት:1 ባለሥልጣናት:1.5 ተከሰተ:2 ዛሬ:1 አደጋ:2 ተባይ:2",
            "ar": "أخبار:3 عاجل:2.5 تحذير:2.5 تفشي:2 فيضانات:2 جراد:2.5 طوارئ:2 مسؤولون:1.5 انتشار:1.5"
            " خطر:1.5 نشرة:2 آفات:2",
        },
    ),
    Topic(
        "policy_updates",
        "news",
        {
            "en": "policy:3 regulation:3 law:2 government:2 parliament:2.5 cabinet:2.5 ministry:1.5"
            " gazette:2 subsidy:2.5 rules:2.5 decision:1.5 reform:2 agreement:1 legal:1.5 voucher:2"
            " support:1 force:1 recognise:1.5",
            "am": "ፖሊሲ:3 መንግሥት:2.5 ሕግ:2.5 ደንብ:2.5 አዋጅ:2.5 ምክር:1.5 ሚኒስቴር:2 ውሳኔ:2 ድጎማ:2.5 ማሻሻያ:2 ስምምነት:1.5 ፓርላማ:2",
            "ar": "سياسة:3 قانون:2.5 حكومة:2.5 لائحة:2.5 برلمان:2.5 وزارة:2 قرار:2 دعم:1.5 إصلاح:2"
            " اتفاق:1.5 تشريع:2 مجلس:1.5",
        },
    ),
    Topic(
        "food_security",
        "news",
        {
            "en": "food:1.5 security:2 insecurity:3 hunger:2.5 malnutrition:3 nutrition:2.5 assistance:2"
            " humanitarian:2 famine:2.5 meals:2 lunch:2 outlook:1.5 households:0.8 children:1.5"
            " drought:1 relief:2 protein:2 vegetables:1 catches:2",
            "am": "ምግብ:3 ዋስትና:2 ረሃብ:2.5 እርዳታ:2.5 ድርቅ:1.5 አመጋገብ:2 ቤተሰቦች:1.5 ዝናብ:1.5 ወተት:1.5 እፎይታ:2 ሕፃናት:2 ግጦሽ:1.5",
            "ar": "الغذاء:2.5 الغذائي:3 الأمن:2.5 الجوع:2.5 مساعدات:2.5 غذائية:2.5 سوء:1.5 التغذية:2.5"
            " الجفاف:1 الأسر:1.5 الحليب:1.5 المجاعة:2.5 المراعي:1.5",
        },
    ),
    Topic(
        "research_findings",
        "finding",
        {
            "en": "research:2.5 study:2.5 trial:3 yield:2 found:1 results:2 compared:1.5 experiment:2"
            " varieties:2 plots:1.5 percent:0.5 analysed:2 researchers:2 laboratory:2 fields:1"
            " samples:2 tested:1.5 seasons:1",
            "am": "ጥናት:3 ምርምር:3 ዝርያ:2.5 ምርት:1.5 ውጤት:2 ሙከራ:2.5 ማሳ:1.5 ሄክታር:1.5 ኩንታል:1 ተመራማሪ:2.5 በመቶ:0.5 ወቅት:1",
            "ar": "دراسة:3 بحث:2.5 باحثون:2.5 أصناف:3 صنف:2.5 تجربة:2 نتائج:2 إنتاج:1 حقل:2 اختبر:2.5 موسم:1 هكتار:1.5",
        },
    ),
    Topic(
        "technology_innovation",
        "finding",
        {
            "en": "technology:3 innovation:1.5 solar:2.5 mobile:2 phone:2 application:1 pump:2.5 sensor:2"
            " digital:2.5 station:1 machine:2 camera:2 dryers:2.5 technicians:2 panel:2 software:2"
            " network:1 voice:1.5 booking:2",
            "am": "ቴክኖሎጂ:3 መሣሪያ:2.5 ፀሐይ:2 ስልክ:2 ማሽን:2.5 ፓምፕ:2.5 ፈጠራ:2.5 መስመር:2 መዝራት:1.5 ዲጂታል:2.5 ሶላር:2 መተግበሪያ:2",
            "ar": "تقنية:3 تكنولوجيا:3 ابتكار:1.5 شمسية:2.5 هاتف:2 مضخة:2.5 آلة:2 تطبيق:1.5 رقمي:2.5 جهاز:2"
            " طاقة:2 محطة:1.5",
        },
    ),
    Topic(
        "climate_smart_agriculture",
        "finding",
        {
            "en": "climate:3 adaptation:2.5 soil:2 carbon:2.5 terraces:3 trees:2 drought:1 forecast:2.5"
            " groundwater:1.5 rainfall:1.5 emissions:2 agroforestry:2 conservation:2 resilience:2"
            " water:1 cropping:2 aquifers:2",
            "am": "አየር:2.5 ንብረት:2.5 እርከን:3 ዛፍ:2.5 አፈር:2.5 ትንበያ:2.5 መሸርሸር:2.5 ድርቅ:1 ውኃ:1 ለውጥ:1.5 መቋቋም:2 አካባቢ:1.5",
            "ar": "المناخ:3 حصاد:2 المياه:2.5 السدود:3 الأمطار:1.5 التربة:2.5 الأشجار:2.5 التكيف:2.5"
            " الآبار:2 المطرية:2 الجفاف:1 سد:2.5",
        },
    ),
    Topic(
        "market_access",
        "news",
        {
            "en": "market:2 trade:3 price:2 export:3 border:2.5 traders:2.5 tonnes:1 buyers:2 bag:0.8"
            " shillings:0.8 exporters:2.5 consignment:2 customs:2 demand:1.5 supply:1 cooperatives:1"
            " transport:1 coffee:2",
            "am": "ገበያ:3 ዋጋ:3 ንግድ:2.5 ነጋዴ:2.5 ኩንታል:1 ብር:0.8 ወጪ:1 ትራንስፖርት:2 ማኅበራት:1 መላክ:2 ሽያጭ:2 ስንዴ:1.5",
            "ar": "السوق:2.5 سعر:2.5 أسعار:2.5 التجارة:3 تصدير:3 التجار:2.5 الحدود:2 شحنة:2 الأغنام:1 طن:1"
            " المصدرون:2.5 محاجر:1.5",
        },
    ),
    Topic(
        "project_updates",
        "news",
        {
            "en": "project:2 cooperative:2.5 members:2 women:1.5 built:2 villages:1.5 community:1.5"
            " groups:1.5 success:2 loan:2 founders:2 scheme:2 young:2 savings:2 agreements:1.5"
            " employs:2 repaid:2 income:1.5 dams:2 hub:2.5",
            "am": "ፕሮጀክት:3 ማኅበር:2.5 አባላት:2 ሴቶች:2 መንደር:2 ተሠሩ:2 ስኬት:2.5 ብድር:2 ገቢ:1.5 ወጣት:1.5 ማኅበረሰብ:2 ቁጠባ:2",
            "ar": "مشروع:3 جمعية:2.5 تعاونية:2.5 أعضاء:2 النساء:1.5 قرية:1.5 نجاح:2.5 قرض:2 دخل:1.5"
            " الشباب:1.5 الأهالي:2 بناء:1.5",
        },
    ),
    Topic(
        "livestock",
        "finding",
        {
            "en": "livestock:3 animals:2 herders:2 cattle:2.5 goats:2.5 sheep:2.5 camels:2.5 herd:2"
            " vaccination:3 veterinary:2.5 fodder:2.5 pasture:2 disease:1.5 milk:1 vaccine:2.5 hay:2"
            " rangeland:1.5",
            "am": "እንስሳት:3 በጎች:2.5 ፍየሎች:2.5 ከብት:2.5 ግመል:2.5 ክትባት:3 አርብቶ:2 መንጋ:1.5 በሽታ:2.5 ሐኪም:2 ተከተቡ:2.5 መኖ:2",
            "ar": "الماشية:3 الأغنام:2.5 الماعز:2.5 الإبل:2.5 تطعيم:3 قطيع:2 حمى:2.5 بيطري:2.5 مرض:2"
            " الحيوان:2 فيروس:2 إجهاض:2",
        },
    ),
    Topic(
        "funding_opportunities",
        "opportunity",
        {
            "en": "grant:3 funding:3 fund:2.5 fellowship:3 applications:2.5 deadline:2.5 eligible:2.5"
            " apply:2.5 proposals:2 budget:1.5 dollars:0.8 scholarship:2.5 call:1.5 round:1.5"
            " applicants:2 close:1.5 euros:1 offers:1.5",
            "am": "ድጋፍ:2.5 ፈንድ:3 ማመልከት:3 ማመልከቻ:3 ገንዘብ:2.5 ስኮላርሺፕ:2.5 ወጣት:1 ብር:0.8 ዕድሜ:1 ጥሪ:2 እርዳታ:1 ተመድቧል:2",
            "ar": "منح:3 منحة:3 صندوق:3 تمويل:3 الطلبات:2.5 تقديم:2 موعد:2 الميزانية:2 دولار:0.8 زمالة:2.5"
            " مؤهل:2 يغطي:1.5",
        },
    ),
    Topic(
        "events_conferences",
        "event",
        {
            "en": "conference:3 webinar:3 workshop:3 training:2.5 registration:3 participants:3 takes:1"
            " place:1.5 session:2 event:2.5 posters:2.5 visits:1.5 free:0.8 certificates:2 held:1"
            " forum:1.5 interpretation:2 week:0.8",
            "am": "ዐውደ:3 ጥናት:1 ጉባኤ:3 ስብሰባ:2.5 ሥልጠና:2.5 ምዝገባ:3 ተሳታፊዎች:3 ይካሄዳል:2.5 ዝግጅት:2 ከተማ:1 ኮንፈረንስ:3",
            "ar": "مؤتمر:3 ورشة:3 ندوة:3 تدريب:2.5 التسجيل:3 مشارك:3 يعقد:2.5 المنظمون:2.5 جلسة:2"
            " القاعة:2.5 الترجمة:2 فعالية:2",
        },
    ),
    Topic(
        "publications_resources",
        "publication",
        {
            "en": "publication:3 guide:3 manual:3 atlas:3 report:1 pages:2 download:2.5 published:1.5"
            " chapter:2.5 copies:2.5 authors:2.5 maps:1.5 handbook:2.5 spreadsheet:2.5 review:1"
            " tables:2 printed:2 available:1.5",
            "am": "መጽሐፍ:3 መመሪያ:3 ኅትመት:3 ገጽ:2 ሪፖርት:1.5 ታተመ:2.5 ምዕራፍ:2.5 ደራሲ:2.5 ካርታ:1.5 ማውረድ:2 ቅጂ:2 አትላስ:2.5",
            "ar": "كتاب:3 دليل:3 منشور:2.5 تقرير:1.5 صفحة:2 فصل:2 نشر:2 أطلس:3 تحميل:2.5 نسخة:2.5 خرائط:1.5 مؤلف:2.5",
        },
    ),
)
_BY_ID = {each.id: each for each in TOPICS}


def topic(name: str) -> Topic | None:
    """A topic by its label or its id."""
    return _BY_ID.get(topic_id(name))


@cache
def written_query(label: str, language: Language) -> tuple[tuple[str, float], ...]:
    """The words of a topic's query with their weights."""
    found = _BY_ID[topic_id(label)].words[language]
    return tuple(_weighted(each) for each in dict.fromkeys(found.split()))


def _weighted(written: str) -> tuple[str, float]:
    word, _, weight = written.partition(":")
    return word, float(weight or 1)


AUDIENCE_WORDS: Mapping[str, str] = {
    "researchers": "study research trial data analysis method sample results model laboratory measured compared",
    "development_partners": "programme project households women funding donors partners villages reached beneficiaries",
    "policy_makers": "policy government parliament law regulation ministry cost budget decision county cabinet subsidy",
    "ag_tech_industry": "technology company market digital machine solar price buyers sensor phone application cost",
    "field_staff": "training farmers villages technicians extension guide practice vaccination advice workers groups",
    "farmers": "farmers seed price harvest market milk animals field bag rain planting herders pump",
}
"""Words that tell whom a passage is of use to."""
