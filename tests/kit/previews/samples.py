"""Documents made here: good ones, and ones that were made to do harm."""

from __future__ import annotations

import struct
import zipfile
import zlib
from io import BytesIO

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def pdf(*pages: str, title: str = "", size: tuple[float, float] = (612, 792), stream: bytes | None = None) -> bytes:
    """A PDF with a line of text per page; `stream` is what the pages draw instead, packed as it is."""
    objects: list[bytes] = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    kids = []
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    for text in pages:
        drawn = f"BT /F1 24 Tf 72 600 Td ({text}) Tj ET".encode() if stream is None else stream
        packing = b"" if stream is None else b" /Filter /FlateDecode"
        objects.append(b"<< /Length %d%s >>\nstream\n%s\nendstream" % (len(drawn), packing, drawn))
        box = b"%g %g" % size
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %s] /Contents %d 0 R /Resources << /Font << /F1 %s >> >> >>"
            % (box, len(objects), font)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    objects.append(b"<< /Title (%s) >>" % title.encode())
    return _pdf_file(objects, info=len(objects))


def _pdf_file(objects: list[bytes], info: int) -> bytes:
    written = bytearray(b"%PDF-1.7\n")
    places = []
    for number, each in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    written += b"".join(b"%010d 00000 n \n" % place for place in places)
    written += b"trailer << /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        info,
        table,
    )
    return bytes(written)


def docx(
    body: str, *, styles: str = "", core: str = "", extra: dict[str, bytes] | None = None, head: str = ""
) -> bytes:
    """A Word document with this body."""
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", f'{head}<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>')
        if styles:
            archive.writestr("word/styles.xml", f'<w:styles xmlns:w="{W}">{styles}</w:styles>')
        if core:
            title = f'<c xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{core}</dc:title></c>'
            archive.writestr("docProps/core.xml", title)
        for name, content in (extra or {}).items():
            archive.writestr(name, content)
    return made.getvalue()


def office(*parts: str) -> bytes:
    """A workbook or slides of these parts, each a name and its text."""
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            archive.writestr(name, text)
    return made.getvalue()


def paragraph(text: str, style: str = "", depth: int | None = None) -> str:
    """A paragraph as Word writes it: in runs, that break words anywhere."""
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if depth is not None:
        properties += f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="1"/></w:numPr>'
    half = len(text) // 2
    runs = "".join(f'<w:r><w:t xml:space="preserve">{part}</w:t></w:r>' for part in (text[:half], text[half:]))
    return f"<w:p><w:pPr>{properties}</w:pPr>{runs}</w:p>"


def png_bomb(width: int, height: int) -> bytes:
    """A small PNG of a huge white picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b"\0" * (width // 8 + 1)) for _ in range(height)) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def zip_bomb(megabytes: int) -> bytes:
    """A document whose XML unpacks to so many megabytes."""
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open("word/document.xml", "w", force_zip64=True) as part:
            part.write(f'<w:document xmlns:w="{W}"><w:body>'.encode())
            for _ in range(megabytes):
                part.write(b" " * 1_000_000)
            part.write(b"</w:body></w:document>")
    return made.getvalue()
