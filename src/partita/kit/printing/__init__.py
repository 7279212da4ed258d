"""Setting pages of HTML as PDF, in bounded processes of their own.

Nothing is imported here, so that those processes start fast.
"""
