"""Reading in: from a file or a page to blocks with their pages, and from blocks to passages that are found and cited.

Nothing is imported here, so that the process that reads hostile files starts fast.
"""
