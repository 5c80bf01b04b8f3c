#!/usr/bin/env bash
# Tests kifud with Vim and ALE, both Debian's, as they are.
#
#   tests/editors/run-vim.sh DEST [KIFUD]
set -euo pipefail
source "$(dirname "$0")/runner.sh"

cp "$here/faults.sgf" "$work"
export HOME=$work KIFUD=$kifud RECORD=$work/faults.sgf

# Vim wants a terminal: it writes its lines into a file and draws its screen for nobody.
vim_tests() {
  local status=0
  REPORT=$work/lines timeout 60 vim -N -u NONE -i NONE -n -T dumb --not-a-term \
    --cmd 'set encoding=utf-8 runtimepath^=/usr/share/vim-ale' -S "$here/ale.vim" >"$work/screen" 2>&1 </dev/null || status=$?
  cat "$work/lines" || cat "$work/screen"
  return $status
}
verdict vim_tests
