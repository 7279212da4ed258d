"""Posters: every title has a picture of its own, drawn from its facts alone."""

from partita.apps.worthwatch.service.posters.inks import TINTS
from partita.apps.worthwatch.service.posters.sheet import Poster, poster_digest, poster_svg, poster_tint
from partita.apps.worthwatch.service.posters.strip import motif_strip

__all__ = ["TINTS", "Poster", "motif_strip", "poster_digest", "poster_svg", "poster_tint"]
