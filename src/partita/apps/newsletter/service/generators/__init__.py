"""Writers: one protocol for the offline writer and for models, and the checks that everything passes."""
