"""Pure functions of the editor: paragraphs, citations, lengths, sections, differences, pasted HTML."""
