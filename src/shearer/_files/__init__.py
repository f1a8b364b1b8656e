"""Tables from files of any common format, and files written whole or not at all."""

from shearer._files.tables import Loaded, read_files
from shearer._files.writing import check_writable, write_file

__all__ = ["Loaded", "check_writable", "read_files", "write_file"]
