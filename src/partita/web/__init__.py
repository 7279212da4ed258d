"""The HTTP application that the systems live in, and the design system of their pages."""
