"""What we say in English."""

from __future__ import annotations

from partita.apps.newsletter.service.writing.phrases.book import Book, Phrases

ENGLISH = Book(
    months=(
        *("January", "February", "March", "April", "May", "June"),
        *("July", "August", "September", "October", "November", "December"),
    ),
    names={
        "introduction": "Introduction",
        "welcome": "Welcome & Overview",
        "conclusion": "Conclusion",
        "closing": "Closing Remarks",
        "dates": "Coming up",
        "dates_item": "Dates to note",
    },
    full_stop=".",
    in_figures="In figures",
    who="Who",
    how_much="How much",
    by_when="By when",
    when="When",
    where="Where",
    said="Source:",
    too_few="The sources had no more on this topic.",
    friendly=Phrases(
        greeting="Hello, and welcome to {title}!",
        overview="We have picked {stories} stories from {sources} sources for you.",
        overview_of_one="We have picked what matters from a small shelf this time.",
        span="They date from {first} to {last}.",
        highlight="Start with this one: {headline}.",
        contents="Here is what you will find:",
        deadline="One date to keep in mind: {day} ({headline}).",
        thanks="Thanks for reading!",
        numbers="The little numbers lead to the sources, so you can look up every sentence.",
        farewell="See you in the next issue.",
    ),
    neutral=Phrases(
        greeting="Welcome to {title}.",
        overview="This issue has {stories} stories from {sources} sources.",
        overview_of_one="This issue draws on a small number of sources.",
        span="The sources were published between {first} and {last}.",
        highlight="The lead story: {headline}.",
        contents="In this issue:",
        deadline="A date to note: {day} ({headline}).",
        thanks="Thank you for reading.",
        numbers="Each number in brackets leads to the source of the sentences before it.",
        farewell="Comments and suggestions for the next issue are welcome.",
    ),
    formal=Phrases(
        greeting="The editors present the current issue of {title}.",
        overview="It comprises {stories} contributions based on {sources} sources.",
        overview_of_one="It is based on a limited number of sources.",
        span="The underlying sources were published between {first} and {last}.",
        highlight="Particular attention is drawn to the following contribution: {headline}.",
        contents="The contributions at a glance:",
        deadline="Readers are reminded of the following date: {day} ({headline}).",
        thanks="The editors thank all readers for their attention.",
        numbers="The numbers in brackets refer to the list of sources, on which every statement rests.",
        farewell="Observations on this issue may be addressed to the editors.",
    ),
)
