"""Words after which a full stop ends no sentence, without that stop and in small letters."""

from __future__ import annotations


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


ALWAYS = _words(
    """
    mr mrs ms dr prof hon eng rev sr jr st gen col capt lt sgt amb h.e messrs mme mlle mx mgr fr
    cdr cmdr ing dipl arch maj brig adm cpl gov sen rep supt insp ste
    e.g i.e eg ie cf vs viz approx ca incl excl resp al n.b a.k.a w.r.t c.f
    ዓ.ም ዓ.ዓ ክ.ክ ዶ.ር ፕ.ር د أ م أ.د ص ج
    """
)
"""Titles, "for example", and the like. In Arabic د. is a doctor, م. an engineer, أ. a teacher."""

BEFORE_NUMBERS = _words(
    """
    no nos nr fig figs eq eqs tab table sec sect ch chap art para par pt vol vols p pp pg ref refs annex app
    etc ltd inc co corp dept univ min max avg est jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri
    sat sun a.m p.m am pm ha kg km cm mm sq ft yr yrs hr hrs govt intl natl assoc bros ق.م
    """
)
"""Which can end a sentence too, unless a number follows."""

STARTERS = _words("the this these those in it its however but and we they he she at on for as when while a an there")
"""After initials, one of these with a capital begins a sentence: "in the U.S. The", not "J. Otieno"."""
