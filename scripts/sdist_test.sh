#!/bin/sh
# Try the wheel and the source distribution where nothing else is installed: the command from the wheel, then the core
# tests from the unpacked source distribution, against the package that is built and installed from it.
# usage: sdist_test.sh PYTHON FOLDER [TEST...]   (FOLDER: what `make dist` made; default tests: those of the core)
set -eu
python=$1
archive=$(ls "$2"/shearer-*.tar.gz)
wheel=$(ls "$2"/shearer-*.whl)
constraints=$(pwd)/constraints.txt
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" --version

"$python" -m venv "$folder/wheel"
"$folder/wheel/bin/python" -m pip install --quiet --constraint "$constraints" "$wheel"
"$folder/wheel/bin/python" -m pip check
(cd "$folder" && wheel/bin/shearer demo > demo.txt && grep -q "cannot show this" demo.txt)
echo "wheel: installed alone, shearer demo runs"

tar -xzf "$archive" -C "$folder"
cd "$folder"/shearer-*/
"$python" -m venv "$folder/sdist"
"$folder/sdist/bin/python" -m pip install --quiet --upgrade 'pip>=25.1'
"$folder/sdist/bin/python" -m pip install --quiet --constraint "$constraints" . --group test-core
if [ $# -eq 0 ]; then
  set -- tests/kernels tests/measures tests/spectrum tests/pairs tests/test_*.py tests/files tests/cli
fi
"$folder/sdist/bin/python" -c "
import pathlib, shearer
place = pathlib.Path(shearer.__file__)
assert 'site-packages' in place.parts, place
print('shearer', shearer.__version__, 'from site-packages')
"
"$folder/sdist/bin/python" -m pytest -q -p no:cacheprovider "$@"
