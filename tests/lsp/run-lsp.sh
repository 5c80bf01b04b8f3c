#!/usr/bin/env bash
# LSP as pytest-lsp speaks it: whole sessions, every method, every message checked to the letter.
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

cd "$here"
timeout 180 "$dest/venv/bin/python" -m pytest -q -p no:cacheprovider -o asyncio_default_fixture_loop_scope=function .
