"""Items as the design document prints them: the schema must read and write these, and tools make others like them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from partita.apps.newsletter.schema import Draft, Newsletter, Outline, Topics
from partita.table import Item

DOCUMENTED: dict[type[Item], dict[str, Any]] = {
    Newsletter: {
        "PK": "NEWSLETTER#NL-20260126-A1B2",
        "SK": "METADATA",
        "GSI1PK": "USER#user123",
        "GSI1SK": "NEWSLETTER#2026-01-26T10:30:00Z",
        "id": "uuid-string",
        "newsletterCode": "NL-20260126-A1B2",
        "title": "Weekly Research Digest",
        "description": "Newsletter for IGAD researchers",
        "status": "draft",
        "user_id": "user123",
        "user_email": "user@example.com",
        "user_name": "User Name",
        "created_at": "2026-01-26T10:30:00Z",
        "updated_at": "2026-01-26T10:35:30Z",
        "target_audience": ["researchers", "policy_makers", "development_partners"],
        "tone_professional": 70,
        "tone_technical": 50,
        "format_type": "email",
        "length_preference": "mixed",
        "frequency": "weekly",
        "geographic_focus": "East Africa - IGAD Region",
        "current_step": 1,
    },
    Topics: {
        "PK": "NEWSLETTER#NL-20260126-A1B2",
        "SK": "TOPICS",
        "selected_types": [
            "Breaking News & Updates",
            "Research Findings",
            "Climate-Smart Agriculture",
            "Funding Opportunities",
        ],
        "retrieval_status": "completed",
        "retrieval_started_at": "2026-01-26T10:40:00Z",
        "retrieval_completed_at": "2026-01-26T10:41:30Z",
        "retrieval_error": None,
        "retrieved_content": [
            {
                "topic": "Research Findings",
                "source": "knowledge-base-igad-web-scraping",
                "score": Decimal("0.89"),
                "content": "Recent study shows improved drought-resistant varieties...",
                "metadata": {"url": "https://igad.int/research/study-2026", "date": "2026-01-15"},
            }
        ],
        "total_chunks_retrieved": 25,
        "updated_at": "2026-01-26T10:41:30Z",
    },
    Outline: {
        "PK": "NEWSLETTER#NL-20260126-A1B2",
        "SK": "OUTLINE",
        "outline_status": "completed",
        "outline_started_at": "2026-01-26T10:50:00Z",
        "outline_completed_at": "2026-01-26T10:51:45Z",
        "outline_error": None,
        "sections": [
            {
                "id": "section-1",
                "name": "Introduction",
                "order": 1,
                "items": [
                    {
                        "id": "item-1-1",
                        "title": "Welcome & Overview",
                        "description": "Brief introduction to this week's newsletter",
                        "editable": True,
                        "source": "ai_generated",
                    }
                ],
            },
            {
                "id": "section-2",
                "name": "Research Findings",
                "order": 2,
                "items": [
                    {
                        "id": "item-2-1",
                        "title": "Drought-Resistant Crop Varieties Study",
                        "description": "Summary of recent IGAD research findings",
                        "editable": True,
                        "source": "rag_content",
                        "rag_reference_id": "chunk-123",
                    }
                ],
            },
            {
                "id": "section-3",
                "name": "Conclusion",
                "order": 3,
                "items": [
                    {
                        "id": "item-3-1",
                        "title": "Closing Remarks",
                        "description": "Summary and call to action",
                        "editable": True,
                        "source": "ai_generated",
                    }
                ],
            },
        ],
        "user_modifications": {"items_added": ["custom-item-1"], "items_removed": [], "items_edited": ["item-2-1"]},
        "generated_at": "2026-01-26T10:51:45Z",
        "updated_at": "2026-01-26T11:00:00Z",
    },
    Draft: {
        "PK": "NEWSLETTER#NL-20260126-A1B2",
        "SK": "DRAFT",
        "draft_status": "completed",
        "draft_started_at": "2026-01-26T11:05:00Z",
        "draft_completed_at": "2026-01-26T11:08:30Z",
        "draft_error": None,
        "generated_content": "# Weekly Research Digest\n\n## Introduction\n\nWelcome to this week's...",
        "sections": {
            "introduction": "Welcome to this week's edition of the IGAD Research Digest...",
            "research_findings": "## Research Findings\n\nRecent studies have shown...",
            "conclusion": "## Conclusion\n\nThank you for reading...",
        },
        "user_edits": "# Weekly Research Digest (Edited)\n\n...",
        "has_user_edits": True,
        "word_count": 1250,
        "estimated_read_time": "5 minutes",
        "generated_at": "2026-01-26T11:08:30Z",
        "updated_at": "2026-01-26T11:15:00Z",
        "exports": {
            "pdf": {
                "s3_key": "newsletters/NL-20260126-A1B2/export.pdf",
                "generated_at": "2026-01-26T11:20:00Z",
                "file_size": 245000,
            },
            "docx": {
                "s3_key": "newsletters/NL-20260126-A1B2/export.docx",
                "generated_at": "2026-01-26T11:20:15Z",
                "file_size": 125000,
            },
            "html": {
                "s3_key": "newsletters/NL-20260126-A1B2/export.html",
                "generated_at": "2026-01-26T11:20:20Z",
                "file_size": 45000,
            },
        },
    },
}
