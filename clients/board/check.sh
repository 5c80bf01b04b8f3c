#!/usr/bin/env bash
# Checks the boards: types and unit tests, in seconds.
#
#   clients/board/check.sh                    types, unit tests, build
#   clients/board/check.sh --browser DEST     the same, then the demo page in Chromium; DEST is the folder of
#                                             tests/editors/setup.sh. PICTURES names a folder for pictures of it.
#   clients/board/check.sh --bench DEST       figures: redraw of a full heat map, a large tree
set -euo pipefail
cd "$(dirname "$0")"

mode=${1:-}
[ -d node_modules ] || nice npm ci --ignore-scripts --no-audit --no-fund --silent
npm run --silent check
npm run --silent build
case $mode in
  --bench) TOOLS=$(realpath "$2")/tools timeout 300 node test/browser.mjs bench ;;
  *)
    npm test --silent >dist/test.log 2>&1 || { cat dist/test.log; exit 1; }
    passed=$(awk '/^# pass / { print $3 }' dist/test.log)
    if [ "$mode" = --browser ]; then
      status=0
      TOOLS=$(realpath "$2")/tools timeout 300 node test/browser.mjs | tee dist/browser.log || status=$?
      # One closing line for both.
      awk -v unit="$passed" '/ passed, .* failed$/ { print unit + $1 " passed, " $3 " failed" }' dist/browser.log
      exit $status
    fi
    echo "$passed passed, 0 failed"
    ;;
esac
