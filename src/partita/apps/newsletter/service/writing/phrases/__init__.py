"""Phrase books: all that we say ourselves, per language and register, filled only with counts, days and titles."""

from __future__ import annotations

from datetime import date

from partita.apps.newsletter.service.writing.phrases.amharic import AMHARIC
from partita.apps.newsletter.service.writing.phrases.arabic import ARABIC
from partita.apps.newsletter.service.writing.phrases.book import Book, Phrases, filled
from partita.apps.newsletter.service.writing.phrases.english import ENGLISH

BOOKS = {"en": ENGLISH, "am": AMHARIC, "ar": ARABIC}

__all__ = ["BOOKS", "Book", "Phrases", "book", "day_in_words", "filled"]


def book(language: str) -> Book:
    """The phrase book of a language; English for one that has none."""
    return BOOKS.get(language, ENGLISH)


def day_in_words(day: date, language: str) -> str:
    """`3 March 2026`, in the language's own words."""
    return f"{day.day} {book(language).months[day.month - 1]} {day.year}"
