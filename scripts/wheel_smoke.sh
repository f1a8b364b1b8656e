#!/bin/sh
# Build the wheel and try it where nothing else is installed: import, one measure, help, demo.
# usage: wheel_smoke.sh PYTHON   (a python that has the `build` package)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" -m build --wheel --outdir "$folder" . > "$folder/build.log" 2>&1 || { cat "$folder/build.log"; exit 1; }
"$1" -m venv "$folder/empty"
"$folder/empty/bin/python" -m pip install --quiet --constraint constraints.txt "$folder"/*.whl
cd "$folder"
empty/bin/python -c "
import importlib.util, shearer
assert importlib.util.find_spec('torch') is None and importlib.util.find_spec('pandas') is None
value = shearer.total_correlation([0.0, 1.0, 2.0, 3.0], [True, False, True, False], ['a', 'a', 'b', 'b'])
assert 0 < value < 1, value
print('import and one measure: T* =', round(value, 4))
from shearer.report import render_page
settings = {'source': 'empty.csv', 'rows': 4, 'fdr': 0.05}
page = render_page({'version': 2, 'settings': settings, 'columns': [], 'pairs': [], 'triples': [], 'notes': []})
assert page.startswith('<!doctype html>') and 'Shearer' in page
print('the page and its assets: ok')
"
empty/bin/shearer --help > help.txt
grep -q demo help.txt && echo "shearer --help: ok"
empty/bin/shearer demo
echo "wheel smoke test passed"
