#!/bin/sh
# Print where a Python is: on the PATH, else among the versions of pyenv; fail where there is none.
# usage: find_python.sh NAME...   (such as python3.13; the first that is found)
set -eu
for name in "$@"; do
  # A name on the PATH may be a shim of pyenv for a version that is not active: it has to run.
  for candidate in "$(command -v "$name" || true)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/"$name"; do
    if [ -x "$candidate" ] && "$candidate" -c "import venv" > /dev/null 2>&1; then
      echo "$candidate"
      exit 0
    fi
  done
done
echo "none of these Pythons is on the PATH or under pyenv: $*" >&2
exit 1
