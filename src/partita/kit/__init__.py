"""What every system needs: people, permissions, files, search, changes, limits, mail, settings, clock and ids."""
