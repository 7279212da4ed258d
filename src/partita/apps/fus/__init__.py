"""fus: a catalog of sites with tags, stars, notes, comments and permission groups."""
