"""The enablement portal: content with a life cycle."""
