"""Files: stored in a folder or in S3, typed by their content, and served so that they can do no harm."""

from partita.kit.files.choose import files_for
from partita.kit.files.content import kind_of
from partita.kit.files.files import FileInfo, Files, OpenFile, StoredFile, UploadForm
from partita.kit.files.headers import safe_headers
from partita.kit.files.images import ImageRefused, Picture, image_of
from partita.kit.files.large import LargeValues
from partita.kit.files.local import LocalFiles
from partita.kit.files.names import FileNameError, download_name
from partita.kit.files.s3 import S3Files
from partita.kit.files.serving import file_routes

__all__ = [
    "FileInfo",
    "FileNameError",
    "Files",
    "ImageRefused",
    "LargeValues",
    "LocalFiles",
    "OpenFile",
    "Picture",
    "S3Files",
    "StoredFile",
    "UploadForm",
    "download_name",
    "file_routes",
    "files_for",
    "image_of",
    "kind_of",
    "safe_headers",
]
