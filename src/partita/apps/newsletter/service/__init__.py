"""The rules of newsletters and proposals, a part for each noun."""

from __future__ import annotations

from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.adoption import adoptions
from partita.apps.newsletter.service.approval import Approvals
from partita.apps.newsletter.service.brand import Brands
from partita.apps.newsletter.service.calls import Calls
from partita.apps.newsletter.service.citations import Citations
from partita.apps.newsletter.service.citing import Citing
from partita.apps.newsletter.service.desk import DeskKeeping
from partita.apps.newsletter.service.draft import Drafts
from partita.apps.newsletter.service.drafting import Drafting
from partita.apps.newsletter.service.editions import Editions
from partita.apps.newsletter.service.exports import Exports
from partita.apps.newsletter.service.files import LetterFiles
from partita.apps.newsletter.service.finding import Finding
from partita.apps.newsletter.service.generators.service import Generators
from partita.apps.newsletter.service.history import History
from partita.apps.newsletter.service.images import Images
from partita.apps.newsletter.service.intake import Intake
from partita.apps.newsletter.service.links import Links
from partita.apps.newsletter.service.making import Making
from partita.apps.newsletter.service.newsletters import Newsletters
from partita.apps.newsletter.service.notes import Notes
from partita.apps.newsletter.service.outline import Outlines
from partita.apps.newsletter.service.passages import Passages
from partita.apps.newsletter.service.prompts import Prompts
from partita.apps.newsletter.service.proposal_citations import ProposalCitations
from partita.apps.newsletter.service.proposal_drafting import ProposalDrafting
from partita.apps.newsletter.service.proposal_exports import ProposalExports
from partita.apps.newsletter.service.proposal_files import ProposalFiles
from partita.apps.newsletter.service.proposal_passages import ProposalPassages
from partita.apps.newsletter.service.proposal_removal import ProposalRemovals
from partita.apps.newsletter.service.proposal_reviews import ProposalReviews
from partita.apps.newsletter.service.proposals import Proposals
from partita.apps.newsletter.service.quality import ReportCards
from partita.apps.newsletter.service.readiness import Readiness
from partita.apps.newsletter.service.removal import Removals
from partita.apps.newsletter.service.retrieval import Retrieving
from partita.apps.newsletter.service.rewriting import Rewriting
from partita.apps.newsletter.service.shares import Shares
from partita.apps.newsletter.service.source_removal import SourceRemovals
from partita.apps.newsletter.service.source_search import SourceSearch
from partita.apps.newsletter.service.sources import Sources
from partita.apps.newsletter.service.steps import Steps
from partita.apps.newsletter.service.topics import TopicsOf
from partita.apps.newsletter.service.unsourced import Unsourced
from partita.apps.newsletter.service.unused import Unused
from partita.apps.newsletter.service.versions import Versions
from partita.kit.jobs import JobKind
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer


class NewsletterService:
    """Everything that can be done with newsletters and proposals."""

    def __init__(self, kit: Kit) -> None:
        # The newsletter and its steps
        self.access = Access(kit)
        self.people = kit.accounts.people
        self.newsletters = Newsletters(kit, self.access)
        self.topics = TopicsOf(kit, self.access)
        self.outline = Outlines(kit, self.access)
        self.steps = Steps(kit, self.access)
        self.readiness = Readiness(kit)
        self.removals = Removals(kit, self.access, self.steps)

        self.making = Making(self.access, self.topics, self.steps)
        self.finding = Finding(kit, self.newsletters)
        self.desk = DeskKeeping(kit)
        self.adoptions = adoptions(kit)
        self.files = LetterFiles(kit)

        # Drafts
        self.passages = Passages(kit)
        self.quality = ReportCards(kit, self.access, self.passages)
        self.versions = Versions(kit)
        self.draft = Drafts(kit, self.access, self.versions, self.quality.card)
        self.history = History(self.access, self.draft, self.versions)
        self.citations = Citations(kit, self.access, self.draft)
        self.images = Images(kit, self.access, self.draft)

        # Sources
        self.sources = Sources(kit, self.access, self.steps)
        self.intake = Intake(kit, self.steps)
        self.steps.use(self.intake.step)
        self.source_removals = SourceRemovals(kit, self.sources, self.steps)
        self.removals.delete_source = self.source_removals.delete_private
        self.citing = Citing(kit)
        self.retrieval = Retrieving(kit, self.access, self.passages, self.readiness)
        self.steps.use(self.retrieval.step())

        self.source_search = SourceSearch(kit, self.passages)
        self.finding.sources = self.source_search.sources

        # Writers
        self.prompts = Prompts(kit)
        self.generators = Generators(kit, self.prompts)
        self.drafting = Drafting(
            kit,
            self.outline,
            self.versions,
            self.generators,
            self.readiness,
            self.quality.card,
            self.passages,
        )
        self.steps.use(*self.drafting.steps())
        self.unsourced = Unsourced(self.passages)
        self.unused = Unused(kit)
        self.rewriting = Rewriting(kit, self.access, self.generators)

        # Letting it out
        self.brand = Brands(kit)
        self.links = Links(kit, self.access)
        self.editions = Editions(kit, self.brand, self.links)
        self.exports = Exports(kit, self.access, self.draft, self.editions, self.steps, self.readiness)
        self.steps.use(self.exports.step())

        # Reviewing
        self.shares = Shares(kit, self.access)
        self.notes = Notes(kit, self.access)
        self.approval = Approvals(kit, self.access)

        # Proposals
        self.proposals = Proposals(kit, self.access)
        self.proposal_files = ProposalFiles(kit, self.proposals, self.sources, self.source_removals)
        self.proposal_passages = ProposalPassages(kit, self.proposals)
        self.proposal_passages.shared = self.source_search.chunks
        self.proposal_citations = ProposalCitations(kit, self.proposals, self.sources)
        self.proposal_drafting = ProposalDrafting(kit, self.proposals, self.passages, self.generators, self.steps)
        self.steps.use(self.proposal_drafting.step)
        self.proposal_reviews = ProposalReviews(kit, self.access, self.proposals)
        self.calls = Calls(kit, self.proposals, self.steps)
        self.steps.use(self.calls.step)
        self.proposal_exports = ProposalExports(kit, self.access, self.brand, self.exports)
        self.proposal_removals = ProposalRemovals(kit, self.proposals, self.source_removals, self.steps)

    async def waiting_for(self, viewer: Viewer) -> int:
        """How many newsletters and proposals need somebody, for the suite's start page."""
        return len(await self.newsletters.attention(viewer)) + len(await self.shares.reviews_asked_of(viewer))

    @property
    def removal_kinds(self) -> tuple[JobKind, ...]:
        """The jobs that delete what belonged to something."""
        return (self.removals.kind, self.source_removals.kind, self.proposal_removals.kind)
