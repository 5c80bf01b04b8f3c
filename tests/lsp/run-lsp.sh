#!/usr/bin/env bash
# LSP as pytest-lsp speaks it: whole sessions, every method, every message checked to the letter; with a daemon on
# pipes, then behind `kifud connect`. Two editors that share an engine are there once.
#
#   tests/lsp/run-lsp.sh DEST [KIFUD]
#
# DEST is the folder of tests/editors/setup.sh, KIFUD the built program (default target/debug/kifud).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
dest=$(cd "${1:?usage: run-lsp.sh DEST [KIFUD]}" && pwd)
KIFUD=$(realpath "${2:-$root/target/debug/kifud}")
export KIFUD PYTHONDONTWRITEBYTECODE=1

# Nothing of the user's, and nothing that stays.
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
for name in RUNTIME_DIR CONFIG_HOME STATE_HOME CACHE_HOME; do
  export "XDG_$name=$home"
done

cd "$here"
suite() {
  KIFUD_DOOR=$1 timeout 180 "$dest/venv/bin/python" -m pytest -q -p no:cacheprovider -o asyncio_default_fixture_loop_scope=function "${@:2}"
}
suite stdio .
suite connect test_lsp.py test_methods.py
