"""Tables from files of any common format, and files written whole or not at all."""

from shearer._files.tables import STDIN, Loaded, read_files
from shearer._files.writing import check_writable, write_file

__all__ = ["STDIN", "Loaded", "check_writable", "read_files", "write_file"]
