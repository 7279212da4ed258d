"""Files: kept in a folder or in S3, known by their content, served so that nothing in them can do harm."""

from partita.kit.files.arriving import WrongKind
from partita.kit.files.choose import files_for
from partita.kit.files.content import kind_of
from partita.kit.files.files import MOST_UPLOAD, FileInfo, Files, ListedFile, OpenFile, StoredFile, UploadForm
from partita.kit.files.headers import safe_headers
from partita.kit.files.images import ImageRefused, Picture, image_of
from partita.kit.files.large import LargeValues
from partita.kit.files.local import LocalFiles
from partita.kit.files.names import FileNameError, download_name
from partita.kit.files.s3 import S3Files
from partita.kit.files.serving import file_routes
from partita.kit.files.sweep import OwnedFiles, Swept, sweep
from partita.kit.files.uploads import (
    UPLOAD_BODY,
    UploadedFile,
    UploadedFiles,
    UploadedForm,
    Uploads,
    form_with_files,
    upload_handler,
)

__all__ = [
    "MOST_UPLOAD",
    "UPLOAD_BODY",
    "FileInfo",
    "FileNameError",
    "Files",
    "ImageRefused",
    "LargeValues",
    "ListedFile",
    "LocalFiles",
    "OpenFile",
    "OwnedFiles",
    "Picture",
    "S3Files",
    "StoredFile",
    "Swept",
    "UploadForm",
    "UploadedFile",
    "UploadedFiles",
    "UploadedForm",
    "Uploads",
    "WrongKind",
    "download_name",
    "file_routes",
    "files_for",
    "form_with_files",
    "image_of",
    "kind_of",
    "safe_headers",
    "sweep",
    "upload_handler",
]
