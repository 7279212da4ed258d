"""The table of content, and of everything that belongs to a content item."""

from __future__ import annotations

from partita.table import Table

CONTENT = Table("content_registry", pk="content_id", purpose="Store enablement content items")

# The document's two indexes
BY_STATUS = CONTENT.index("by_status_updated", pk="GSI1PK", sk="GSI1SK", purpose="Content by status, by last update")
BY_PRODUCT = CONTENT.index("by_product", pk="GSI2PK", sk="GSI2SK", purpose="Content by product suite and concept")

# Our twelve: lists that the document does by filters, what the clock looks for, and what it adds to a content item
BY_FILTERS = CONTENT.index(
    "by_status_product", pk="status_product", sk="GSI2SK", purpose="Content of a product with a status"
)
BY_SUITE = CONTENT.index("by_status_suite", pk="status_suite", sk="GSI2SK", purpose="Content of a suite with a status")
BY_AUDIENCE = CONTENT.index(
    "by_status_audience", pk="status_audience", sk="GSI2SK", purpose="Content for an audience with a status"
)
BY_OWNER = CONTENT.index("by_owner", pk="owner_user_id", sk="GSI2SK", purpose="Content of an owner")
BY_EXPIRY = CONTENT.index("by_expiry_day", pk="expiry_day", sk="expiry_key", purpose="What expires on a day: sparse")
BY_REVIEW = CONTENT.index("by_review", pk="review_state", sk="review_key", purpose="What is due for review: sparse")
BY_APPROVAL = CONTENT.index(
    "by_approval", pk="approval_state", sk="approval_key", purpose="What waits for approval, oldest first: sparse"
)
BY_DUE = CONTENT.index("by_due", pk="due_day", sk="due_key", purpose="What the clock does next with a row: sparse")
HISTORY = CONTENT.index("history", pk="history_of", sk="changed_at", purpose="What happened to a content item")
AUDIT = CONTENT.index("audit", pk="changed_month", sk="changed_at", purpose="What happened to all content, by month")
BY_REPORT = CONTENT.index(
    "by_report", pk="report_state", sk="report_key", purpose="Open reports, all or of one content item: sparse"
)
SHELVES = CONTENT.index("shelves", pk="shelf", sk="shelf_key", purpose="Collections by title")
