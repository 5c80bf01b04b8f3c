#!/usr/bin/env bash
# Compares kifud's reading of valid FF[4] files with that of sgfmill and sgf-parse.
#
#   tests/peers/run.sh DEST
#
# sgfmill goes into DEST/venv, unless it is there already.
set -euo pipefail

dest=${1:?usage: run.sh DEST}
mkdir -p "$dest"
if [ ! -e "$dest/venv/.done" ]; then
  python3 -m venv "$dest/venv"
  "$dest/venv/bin/pip" install -q sgfmill==1.1.1
  touch "$dest/venv/.done"
fi
KIFUD_SGFMILL="$(realpath "$dest/venv/bin")/python" cargo nextest run --locked --no-capture --test peers
