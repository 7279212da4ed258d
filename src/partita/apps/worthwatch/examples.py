"""Items as the design document prints them: the schema must read and write these, and tools make others like them."""

from __future__ import annotations

from typing import Any

from partita.apps.worthwatch.schema import Movie, User, Watchlist, WatchlistItem
from partita.table import Item

DOCUMENTED: dict[type[Item], dict[str, Any]] = {
    User: {
        "PK": "USER#123e4567-e89b-12d3-a456-426614174000",
        "SK": "PROFILE",
        "entityType": "USER",
        "userId": "123e4567-e89b-12d3-a456-426614174000",
        "email": "john@example.com",
        "username": "johndoe",
        "isCurator": True,
        "curatorStatus": "approved",
        "createdAt": "2026-01-15T10:30:00Z",
        "updatedAt": "2026-01-15T10:30:00Z",
    },
    Watchlist: {
        "PK": "WATCHLIST#abc12345-6789-0def-ghij-klmnopqrstuv",
        "SK": "METADATA",
        "entityType": "WATCHLIST",
        "watchlistId": "abc12345-6789-0def-ghij-klmnopqrstuv",
        "curatorId": "123e4567-e89b-12d3-a456-426614174000",
        "title": "Best Sci-Fi Movies of 2025",
        "description": "A curated list of must-watch science fiction films",
        "isPublic": True,
        "isPublicStr": "true",
        "tags": ["sci-fi", "2025", "must-watch"],
        "itemCount": 10,
        "createdAt": "2026-01-20T14:00:00Z",
        "updatedAt": "2026-01-20T14:00:00Z",
    },
    WatchlistItem: {
        "PK": "WATCHLIST#abc12345-6789-0def-ghij-klmnopqrstuv",
        "SK": "ITEM#MOVIE#tt1234567",
        "entityType": "WATCHLIST_ITEM",
        "contentType": "MOVIE",
        "contentId": "tt1234567",
        "position": 1,
        "curatorNote": "A masterpiece of modern sci-fi cinema",
        "addedAt": "2026-01-20T14:05:00Z",
    },
    Movie: {
        "PK": "MOVIE#tt1234567",
        "SK": "METADATA",
        "entityType": "MOVIE",
        "movieId": "tt1234567",
        "title": "Inception",
        "releaseYear": 2010,
        "genres": ["Action", "Sci-Fi", "Thriller"],
        "directors": ["Christopher Nolan"],
        "synopsis": "A thief who steals corporate secrets...",
        "runtime": 148,
        "tmdbId": "27205",
        "imdbId": "tt1375666",
        "createdAt": "2026-01-10T08:00:00Z",
        "updatedAt": "2026-01-10T08:00:00Z",
    },
}
