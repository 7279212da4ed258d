"""Which characters of a text no font of this machine has: asked of Pango, which sets the PDF."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any

_PACKAGES = {
    "CJK": ("Han", "fonts-noto-cjk"),
    "HIRAGANA": ("Japanese", "fonts-noto-cjk"),
    "KATAKANA": ("Japanese", "fonts-noto-cjk"),
    "HANGUL": ("Korean", "fonts-noto-cjk"),
}
_USUAL = "fonts-noto-core"
_SYMBOLS = ("emoji and other symbols", "fonts-noto-color-emoji")
_MOST_SHOWN = 8
_CDEF = """
typedef struct _PangoFontMap PangoFontMap; typedef struct _PangoContext PangoContext;
typedef struct _PangoLayout PangoLayout;
PangoFontMap *pango_ft2_font_map_new(void);
PangoContext *pango_font_map_create_context(PangoFontMap *map);
PangoLayout *pango_layout_new(PangoContext *context);
void pango_layout_set_text(PangoLayout *layout, const char *text, int length);
int pango_layout_get_unknown_glyphs_count(PangoLayout *layout);
void g_object_unref(void *object);
"""


def font_warnings(texts: Iterable[str]) -> list[str]:
    """A sentence for each script that has characters without a font, with the package that brings one."""
    scripts: dict[tuple[str, str], list[str]] = {}
    for character in missing(texts):
        scripts.setdefault(_script(character), []).append(character)
    return [
        f"No font here has {len(found)} of the characters of the script {script} ({' '.join(found[:_MOST_SHOWN])}): "
        f"install the package {package}."
        for (script, package), found in sorted(scripts.items())
    ]


def missing(texts: Iterable[str]) -> list[str]:
    """The characters that would be shown as boxes."""
    wanted = sorted({character for text in texts for character in text if _is_seen(character)})
    if not wanted:
        return []
    pango = _Pango()
    try:
        if not pango.unknown("".join(wanted)):
            return []
        return [character for character in wanted if pango.unknown(character)]
    finally:
        pango.close()


class _Pango:
    """A layout to try text in."""

    def __init__(self) -> None:
        from cffi import FFI

        self._ffi: Any = FFI()
        self._ffi.cdef(_CDEF)
        libraries = ("libpango-1.0.so.0", "libpangoft2-1.0.so.0", "libgobject-2.0.so.0")
        self._pango, self._ft2, self._objects = (self._ffi.dlopen(name) for name in libraries)
        self._map = self._ft2.pango_ft2_font_map_new()
        self._context = self._pango.pango_font_map_create_context(self._map)
        self._layout = self._pango.pango_layout_new(self._context)

    def unknown(self, text: str) -> int:
        """How many characters of a text have no glyph."""
        written = text.encode()
        self._pango.pango_layout_set_text(self._layout, written, len(written))
        return int(self._pango.pango_layout_get_unknown_glyphs_count(self._layout))

    def close(self) -> None:
        for each in (self._layout, self._context, self._map):
            self._objects.g_object_unref(each)


def _is_seen(character: str) -> bool:
    return character > "\x7f" and unicodedata.category(character)[0] not in "CZM"


def _script(character: str) -> tuple[str, str]:
    name = unicodedata.name(character, "")
    if unicodedata.category(character) == "So":
        return _SYMBOLS
    first = name.partition(" ")[0].partition("-")[0]
    return _PACKAGES.get(first, (first.title() or "unknown", _USUAL))
