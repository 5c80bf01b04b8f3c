# Shared by .ci/run and .ci/full: stages with their times, and where things are kept.

export KIFUD_CI_DIR="${KIFUD_CI_DIR:-$HOME/.cache/kifud-ci}"
export KIFUD_ENGINES="${KIFUD_ENGINES:-$KIFUD_CI_DIR/engines}"
export KIFUD_EDITORS="${KIFUD_EDITORS:-$KIFUD_CI_DIR/editors}"
export KIFUD_SHARED="${KIFUD_SHARED:-$PWD/../shared}"
export CARGO_TERM_COLOR=never
mkdir -p "$KIFUD_CI_DIR"

times=()

# stage NAME COMMAND...: runs it, notes the minutes, stops at the first failure.
stage() {
  local name=$1 start=$SECONDS
  shift
  echo "== $name"
  if ! "$@" < /dev/null; then
    echo "== $name FAILED after $(minutes $((SECONDS - start))) min"
    exit 1
  fi
  times+=("$(printf '%6s  %s' "$(minutes $((SECONDS - start)))" "$name")")
}

minutes() {
  awk -v s="$1" 'BEGIN { printf "%.1f", s / 60 }'
}

install_tools() {
  cargo nextest --version > /dev/null 2>&1 || cargo install cargo-nextest --locked
}

# The test command as README gives it: the first code block behind "Run the tests".
test_command() {
  awk '/^Run the tests/ { found = 1 } found && /^```/ { if (inside) exit; inside = 1; next } inside' README.md
}

# other_doors: the protocol through the doors that the last stage does not take: streams, cancel and errors (protocol,
# records), moves (genmove), LSP (lsp, language, edits). The examples of every method go to all doors by themselves
# (methods_examples). On stdio alone: frames and the ways to leave (stdio, ends), the daemon's settings and files.
other_doors() {
  local door files texts="binary(protocol) + binary(genmove) + binary(lsp) + binary(language)"
  local errors="(binary(records) & test(each_bad_request))"
  # Behind a WebSocket clients are not trusted: these read files, start programs of their own, send engines raw words.
  local trusted="test(settings_beside) + test(names_in_the_workspace) + test(folders_come) + test(states_and_names)"
  trusted="$trusted + test(a_cancelled_move)"
  for door in connect unix websocket; do
    case $door in
      connect) files="$texts + $errors + binary(edits)" ;;
      unix) files="$texts + $errors" ;;
      websocket) files="($texts) - ($trusted)" ;;
    esac
    echo "-- $door"
    KIFUD_DOOR=$door cargo nextest run --locked --test protocol --test genmove --test lsp --test language --test edits \
      --test records -E "$files" || return 1
  done
}

# README's first command with the built program: a table with a row for each node of the game, and a graph.
main_command() {
  local table graph
  graph=$(mktemp --suffix .svg)
  table=$(target/release/kifud analyze fixtures/games/short-9x9.sgf --visits 2000 --graph "$graph") || return 1
  grep -q "^<svg" "$graph" || { echo "no graph"; return 1; }
  echo "$table" | head -5
  [ "$(echo "$table" | wc -l)" -eq 31 ] || { echo "expected a heading and 30 rows"; return 1; }
}

# subscribers SECONDS: 200 clients of one analysis with the program for users, alone on the machine.
subscribers() {
  env KIFUD_PROGRAM="$PWD/target/release/kifud" KIFUD_LOAD_SECONDS="$1" \
    cargo nextest run --locked --no-capture --test subscribers
}

# Real engines are recorded afresh and must print the keys of the committed recordings. The limit is
# of the recording alone: its engines have been started once before.
capture_afresh() {
  local fresh only=()
  fresh=$(mktemp -d)
  for id in katago-1.18.1 katago-1.18.1-genmove katago-1.18.1-options leela-zero-0.17 kifud; do
    only+=(--only "$id")
  done
  timeout 360 target/release/kifud capture --out "$fresh" "${only[@]}" || return 1
  KIFUD_TRANSCRIPTS=$fresh cargo nextest run --locked --test recorded_cells || return 1
  rm -rf "$fresh"
}

# fuzz TARGET LIMIT OPTION...: with libFuzzer's own limit (-max_total_time=60, -runs=N), from what was found before.
# The words of the formats stand in for looks at comparisons, which cost most of the time. A finding is printed
# whole: what failed and the input in base64. Safe Rust needs no sanitizer, and so no nightly compiler.
fuzz() {
  cargo fuzz --version > /dev/null 2>&1 || cargo install cargo-fuzz --locked || return 1
  local target=$1 corpus="$KIFUD_CI_DIR/fuzz/$1" log from=() words=()
  shift
  mkdir -p "$corpus"
  [ ! -d "fuzz/seeds/$target" ] || from+=("fuzz/seeds/$target")
  case $target in
    parse | format | decode) from+=(fixtures/sgf fixtures/games) words=(-dict=fuzz/words/sgf) ;;
    convert | fen | move | history) words=(-dict=fuzz/words/xiangqi) ;;
    report_line | json_answer | gtp) words=(-dict=fuzz/words/engines) ;;
  esac
  log=$(mktemp)
  cargo fuzz run -s none --no-trace-compares "$target" "$corpus" "${from[@]}" -- "$@" "${words[@]}" \
    -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 > "$log" 2>&1 || {
    grep -m1 -A200 -E "panicked|ERROR|error" "$log" | head -200
    return 1
  }
  grep -E "^(Done|stat::)" "$log" | sed "s/^/$target: /"
  rm -f "$log"
}

# fuzz_each LIMIT TARGET...
fuzz_each() {
  local limit=$1 target
  shift
  for target in "$@"; do
    fuzz "$target" "$limit" || return 1
  done
}

fuzz_sgf=(parse edits format convert decode)
fuzz_xiangqi=(fen move history)
fuzz_engines=(report_line json_answer gtp)

# fuzz_far RUNS TARGET...: in pieces of a hundredth, so that an ended run goes on while the code that is fuzzed stays
# the same. Short inputs, and edges counted once: more inputs an hour.
fuzz_far() {
  local runs=$1 target done_file from code
  shift
  code=$(git ls-tree -r HEAD fuzz src/{formats,go,gtp_engine,language,locale.rs,mcts,sgf,text,xiangqi} \
    src/engine/{gtp,katago_json,sync} | sha1sum | cut -c1-10)
  for target in "$@"; do
    done_file="$KIFUD_CI_DIR/fuzz-$target-$code"
    from=$(cat "$done_file" 2> /dev/null || echo 0)
    while [ "$from" -lt "$runs" ]; do
      fuzz "$target" "-runs=$((runs / 100))" -max_len=512 -use_counters=0 -entropic=0 || return 1
      from=$((from + runs / 100))
      echo "$from" > "$done_file"
    done
    echo "{\"stage\":\"fuzz\",\"target\":\"$target\",\"code\":\"$code\",\"runs\":$from,\"findings\":0,\"at\":\"$(date -uIs)\"}" >> "$figures"
  done
}

# install_game NAME: a program that we are measured by, from Debian.
install_game() {
  [ -x "/usr/games/$1" ] || apt-get install -y -q "$1"
}

summary() {
  echo "== minutes per stage (all: $(minutes $SECONDS))"
  printf '%s\n' "${times[@]}"
}
