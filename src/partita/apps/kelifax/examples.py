"""Items as the design document prints them: the schema must read and write these, and tools make others like them."""

from __future__ import annotations

from typing import Any

from partita.apps.kelifax.schema import Resource
from partita.table import Item

DOCUMENTED: dict[type[Item], dict[str, Any]] = {
    Resource: {
        "resourceSlug": "amazing-dev-tool",
        "submissionId": "uuid-v4-string",
        "resourceStatus": "pending",
        "createdAt": "2025-10-25T10:30:00Z",
        "submittedAt": "2025-10-25T10:30:00Z",
        "approvedAt": "",
        "rejectedAt": "",
        "rejectionReason": "",
        "submitterFirstName": "John",
        "submitterLastName": "Doe",
        "submitterEmail": "john@techcorp.com",
        "submitterCompany": "Tech Corp",
        "submitterPhone": "+1234567890",
        "resourceName": "Amazing Dev Tool",
        "resourceUrl": "https://amazingdevtool.com",
        "usagePurpose": "This tool helps developers...",
        "category": "development",
        "logoImage": "Amazing_Dev_Tool.png",
        "tags": "productivity,development,automation",
        "keyFeatures": "Automated code generation|Integrated debugging tools|Real-time collaboration",
        "useCases": "Rapid prototyping for startups|Enterprise app development",
        "learningResources": '{"title":"Getting Started","url":"https://docs.com","type":"documentation"}'
        '|{"title":"Video Tutorial","url":"https://video.com","type":"video"}',
        "searchText": "amazing dev tool development productivity automation",
        "featured": False,
        "viewCount": 0,
        "lastViewed": "",
        "submitterDomain": "techcorp.com",
    },
}
