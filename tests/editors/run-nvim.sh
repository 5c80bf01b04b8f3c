#!/usr/bin/env bash
# Tests the Neovim client in the real editor.
#
#   tests/editors/run-nvim.sh DEST [KIFUD]
#
# DEST is the folder of setup.sh, KIFUD the built program (default target/debug/kifud).
# NVIM names another Neovim.
set -euo pipefail

source "$(dirname "$0")/runner.sh"
nvim=${NVIM:-$dest/venv/bin/nvim}

# Nothing of the user's own configuration, and no traces in the home folder.
export XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work XDG_STATE_HOME=$work XDG_CACHE_HOME=$work
cp "$here/capture.sgf" "$here/faults.sgf" "$root/fixtures/games/short-9x9.sgf" "$work"
cat >"$work/kifud.toml" <<TOML
[[engines]]
name = "recorded"
path = "$built"
args = ["replay", "--transcript", "$root/fixtures/transcripts/katago-real"]
TOML

export RECORD=$work/capture.sgf FAULTS=$work/faults.sgf GAME=$work/short-9x9.sgf
verdict timeout 180 "$nvim" --headless -u NONE -i NONE -n \
  --cmd "set runtimepath^=$root/clients/nvim" \
  --cmd "let g:kifud = {'path': '$kifud', 'config': '$work/kifud.toml'}" \
  --cmd 'filetype on' --cmd 'runtime! plugin/kifud.lua' \
  "+luafile $here/nvim.lua"
