"""Demo data: curators with a taste, their lists, and people who argue about them."""
