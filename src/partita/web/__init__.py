"""The HTTP application that serves the systems, and the design system of their pages."""
