"""What `partita check` finds in this table, and why we live with it."""

from __future__ import annotations

from partita.apps.newsletter.schema.editing import Brand, prompt_versions
from partita.apps.newsletter.schema.main import MAIN
from partita.apps.newsletter.schema.newsletters import Draft, Outline, Topics
from partita.apps.newsletter.schema.proposals import Proposal

MAIN.accept(
    "large-item", Topics, because="there are twelve topics; what retrieval found lies in a file when it is large"
)
MAIN.accept("large-item", Outline, because="an outline has 200 items at most, whose words are bounded by inputs")
MAIN.accept("large-item", Draft, because="there are six export formats, and the settings are a dozen short values")
MAIN.accept(
    "large-item",
    Proposal,
    because="the document keeps a proposal in one item; its texts lie in a file, and metadata over 60 KB is refused",
)
MAIN.accept("unbounded-collection", Brand, because="an administrator changes the brand a few times a year")
MAIN.accept("heavy-page", prompt_versions, because="few people look at old versions of a prompt, and rarely")
