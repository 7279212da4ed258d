"""The words that the document of a proposal adds to its text, in the proposal's language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProposalPhrases:
    """Words of one language."""

    applicant: str
    funder: str
    call: str
    amount: str
    deadline: str
    annex: str
    """The heading of the annex."""
    requirement: str
    page: str
    """Over the pages of the call."""
    answered_in: str
    done: str
    """Over what is ticked; the two below are said of each requirement."""
    ticked: str
    unticked: str


_ENGLISH = ProposalPhrases(
    applicant="Applicant",
    funder="Funder",
    call="Call",
    amount="Amount",
    deadline="Deadline",
    annex="Annex: checklist of the call",
    requirement="Requirement",
    page="Page",
    answered_in="Answered in",
    done="Done",
    ticked="Yes",
    unticked="Open",
)
_AMHARIC = ProposalPhrases(
    applicant="አመልካች",
    funder="ገንዘብ ሰጪ",
    call="ጥሪ",
    amount="የገንዘብ መጠን",
    deadline="የመጨረሻ ቀን",
    annex="አባሪ፦ የጥሪው መስፈርቶች ዝርዝር",
    requirement="መስፈርት",
    page="ገጽ",
    answered_in="መልስ የተሰጠበት ክፍል",
    done="ተሟልቷል",
    ticked="አዎ",
    unticked="ገና",
)
_ARABIC = ProposalPhrases(
    applicant="مقدم الطلب",
    funder="الجهة المانحة",
    call="الدعوة",
    amount="المبلغ",
    deadline="الموعد النهائي",
    annex="ملحق: قائمة متطلبات الدعوة",
    requirement="المتطلب",
    page="الصفحة",
    answered_in="القسم المجيب",
    done="مستوفى",
    ticked="نعم",
    unticked="لم يستوف",
)
_BOOKS = {"en": _ENGLISH, "am": _AMHARIC, "ar": _ARABIC}


def proposal_phrases(language: str) -> ProposalPhrases:
    """The words of a language; English where there are none yet."""
    return _BOOKS.get(language, _ENGLISH)
