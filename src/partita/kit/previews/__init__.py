"""Previews: the text and the picture of a file, made in bounded processes of their own.

Nothing is imported here, so that those processes start fast.
"""
