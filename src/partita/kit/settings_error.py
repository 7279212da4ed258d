"""What is raised for invalid settings; by itself, since commands know it without what reads settings."""


class SettingsError(Exception):
    """Invalid settings; the message names each one and says what to do."""
