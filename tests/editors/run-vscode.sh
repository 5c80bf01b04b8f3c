#!/usr/bin/env bash
# Builds the VS Code client and tests it in the real editor, in a trusted workspace and in Restricted Mode.
#
#   tests/editors/run-vscode.sh DEST [KIFUD]
#
# DEST is the folder of setup.sh, KIFUD the built program (default target/debug/kifud).
# PICTURES names a folder for a picture of the screen when something fails.
set -euo pipefail

source "$(dirname "$0")/runner.sh"
export KIFUD=$built TOOLS=$dest/tools
# No extension gallery: nothing is looked up outside.
export EXTENSIONS_GALLERY='{"serviceUrl":""}'
code=$dest/vscode/node_modules/code-server/lib/vscode/out/server-main.js

server=
end_server() {
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    server=
  fi
}
trap 'end_server; rm -rf "$work"' EXIT

cd "$root/clients/vscode"
[ -d node_modules ] || nice npm ci --ignore-scripts --no-audit --no-fund --silent
npm run --silent package >"$work/package.log" 2>&1 || { cat "$work/package.log"; exit 1; }

# try MODE [OPTION...]: a fresh server with a fresh profile, one browser session.
try() {
  local mode=$1 home=$work/$1 port status=0
  local settings=$home/user/Machine/settings.json
  shift
  mkdir -p "$home/user/User" "$home/user/Machine" "$home/record/.vscode"
  cp "$here/capture.sgf" "$here/faults.sgf" "$home/record"
  # The workspace brings settings of its own; only a trusted one is heard.
  cat >"$home/record/workspace.toml" <<TOML
[[engines]]
name = "recorded"
path = "$built"
args = ["replay", "--transcript", "$root/fixtures/transcripts/katago-real"]
TOML
  echo "{\"kifud.config\": \"$home/record/workspace.toml\"}" >"$home/record/.vscode/settings.json"
  # Programs are a matter of the machine that the extension runs on, not of the person at the browser.
  echo "{\"kifud.path\": \"$kifud\"}" >"$settings"
  cat >"$home/user/User/settings.json" <<'JSON'
{
  "security.workspace.trust.startupPrompt": "never",
  "workbench.startupEditor": "none",
  "telemetry.telemetryLevel": "off",
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "update.mode": "none",
  "git.enabled": false,
  "files.autoSave": "off"
}
JSON
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  local options=(--accept-server-license-terms --extensions-dir "$home/extensions"
    --server-data-dir "$home/data" --user-data-dir "$home/user")
  node "$code" "${options[@]}" --install-extension kifud.vsix >"$home/install.log" 2>&1 || { cat "$home/install.log"; exit 1; }
  node "$code" "${options[@]}" --host 127.0.0.1 --port "$port" --without-connection-token \
    --telemetry-level off "$@" >"$home/server.log" 2>&1 &
  server=$!
  for _ in $(seq 300); do
    curl -sf -o /dev/null "http://127.0.0.1:$port/" && break
    kill -0 "$server"
    sleep 0.1
  done
  timeout 300 node "$here/vscode.mjs" "$port" "$home/record" "$settings" "$mode" || status=$?
  end_server
  return $status
}

both() {
  local status=0
  try trusted --disable-workspace-trust || status=1
  try restricted || status=1
  return $status
}
verdict both
