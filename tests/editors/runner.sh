# Sourced by the runners, with their arguments DEST [KIFUD]: the folder of setup.sh and the built program
# (default target/debug/kifud). Sets here, root, dest, work (a folder that goes at the end) and kifud, a program that
# is kifud and writes down what is said with it, a file a process.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
dest=$(cd "${1:?usage: $(basename "$0") DEST [KIFUD]}" && pwd)
built=$(realpath "${2:-$root/target/debug/kifud}")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kifud=$work/kifud
cat >"$kifud" <<SH
#!/bin/sh
exec python3 -S "$here/tee.py" "$work/said-\$\$.jsonl" "$built" "\$@"
SH
chmod +x "$kifud"

# verdict COMMAND...: runs an editor's tests and then checks what it and kifud have said to each other. One closing
# line for both.
verdict() {
  local status=0
  "$@" 2>&1 | tee "$work/report" || status=1
  PYTHONDONTWRITEBYTECODE=1 "$dest/venv/bin/python" "$root/tests/lsp/strict.py" "$work"/said-*.jsonl | tee -a "$work/report" || status=1
  awk '/^[0-9]+ passed, [0-9]+ failed\r?$/ { passed += $1; failed += $3 } END { print passed " passed, " failed " failed" }' "$work/report"
  return $status
}
