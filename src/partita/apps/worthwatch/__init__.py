"""WorthWatch: curator-led watchlists of movies and shows."""
