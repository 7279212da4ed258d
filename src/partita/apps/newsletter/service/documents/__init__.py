"""Documents: one model of an edition, read from Markdown and written as HTML, mail, PDF, DOCX and Markdown again."""
