#!/usr/bin/env bash
# Tests kifud with Emacs and eglot, both Debian's, as they are.
#
#   tests/editors/run-emacs.sh DEST [KIFUD]
set -euo pipefail
source "$(dirname "$0")/runner.sh"

cp "$here/faults.sgf" "$work"
export HOME=$work KIFUD=$kifud RECORD=$work/faults.sgf
# -Q leaves out the site's packages as well; eglot and what it needs are named.
paths=()
for package in eglot project xref seq; do
  paths+=(-L "$(compgen -G "/usr/share/emacs/site-lisp/elpa-src/$package-*")")
done
verdict timeout 60 emacs -Q --batch "${paths[@]}" -l "$here/eglot.el"
