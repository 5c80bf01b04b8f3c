#!/usr/bin/env bash
# Tests the Neovim client in the real editor.
#
#   tests/editors/run-nvim.sh DEST [KIFUD]
#
# DEST is the folder of setup.sh, KIFUD the built program (default target/debug/kifud).
# NVIM names another Neovim.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
dest=$(cd "${1:?usage: run-nvim.sh DEST [KIFUD]}" && pwd)
kifud=$(realpath "${2:-$root/target/debug/kifud}")
nvim=${NVIM:-$dest/venv/bin/nvim}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Nothing of the user's own configuration, and no traces in the home folder.
export XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work XDG_STATE_HOME=$work XDG_CACHE_HOME=$work
cp "$here/capture.sgf" "$root/fixtures/games/short-9x9.sgf" "$work"
cat >"$work/kifud.toml" <<TOML
[[engines]]
name = "recorded"
path = "$kifud"
args = ["replay", "--transcript", "$root/fixtures/transcripts/katago-real"]
TOML

export RECORD=$work/capture.sgf GAME=$work/short-9x9.sgf
timeout 180 "$nvim" --headless -u NONE -i NONE -n \
  --cmd "set runtimepath^=$root/clients/nvim" \
  --cmd "let g:kifud = {'path': '$kifud', 'config': '$work/kifud.toml'}" \
  --cmd 'filetype on' --cmd 'runtime! plugin/kifud.lua' \
  "+luafile $here/nvim.lua"
