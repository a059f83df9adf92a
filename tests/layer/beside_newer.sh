# shellcheck shell=bash
# What 35-beside-newer-neo plays in a tree of Debian sid: lines for `adopt`. Its
# arguments: a number that its sample follows from; "long", or nothing.
set -u
seed=$1 long=${2-}
layer=$PWD/build/liboclcache.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
store=$work/both
reference=$work/reference
mkdir "$work/home" "$store" "$reference"
sources=4 kills=8
[ -z "$long" ] || sources=24 kills=150
RANDOM=$((seed % 32768))
export HOME=$work/home OCL_ICD_VENDORS=/etc/OpenCL/vendors/intel.icd
export SIMULATED_NEOReadDebugKeys=1 SIMULATED_SetCommandStreamReceiver=1 \
    SIMULATED_UseAubStream=0 SIMULATED_ProductFamilyOverride=dg2 \
    SIMULATED_HardwareInfoOverride=1x8x4 SIMULATED_AUBDumpCaptureFileName=/dev/null
# By names that are both's.
export NEO_CACHE_PERSISTENT=1 NEO_CACHE_MAX_SIZE=1000000000

# equal WHAT GOT WANTED
equal() {
    if [ "$2" = "$3" ]; then
        echo "ok $1"
    else
        printf 'not ok %s\ngot: %s\nwanted: %s\n' "$1" "$2" "$3"
    fi
}

# text_of NUMBER: a source; they are of different sizes.
text_of() {
    local i
    for ((i = 0; i < $1 % 5 * 8; i++)); do
        echo "__kernel void k$i(__global int *out, int x)
{ out[get_global_id(0) + $i] = x * $1 + $i; }"
    done
    echo "__kernel void k(__global int *out, int x)
{ out[get_global_id(0)] = x + $1; }"
}

# app HOW DIRECTORY NUMBER [COMMAND...]: both caches are there. Prints what was loaded.
app() {
    local how=$1 directory=$2 number=$3
    local -a settings=(NEO_CACHE_DIR="$directory")
    shift 3
    [ "$how" = bare ] || settings+=(OPENCL_LAYERS="$layer" OCLCACHE_STORE=eager
        BinaryCacheTrace=1 OCLCACHE_LOG_FILE="$work/log")
    rm -f "$work/log"
    "$@" env "${settings[@]}" LD_PRELOAD="$PWD/build/tests/preload/simulate.so" \
        build/tests/layer/app "text:$(text_of "$number")" 2>/dev/null | tail -n 1
}

lookups() {
    sed -n 's/^{"oclcache":"lookup".*"result":"\([a-z]*\)".*/\1/p' "$work/log" | xargs
}

# NEO's files, by path, and ours.
neo_files() {
    (cd "$1" && find . -regextype posix-extended \
        -regex '\./[0-9a-f]/[0-9a-f]/[0-9a-f]{16}\.cl_cache' | sort)
}

our_files() {
    find "$1" -regextype posix-extended -regex '.*/[0-9a-f]{32}\.cl_cache' | sort
}

total_of() {
    find "$1" \( -name '*.cl_cache' -o -name '*.includes' -o -name 'oclcache*' \
        -o -name '????????????????????????????????.trace' -o -name CACHEDIR.TAG \
        -o -name config.file -o -name 'cl_cache.*' \) -printf '%s\n' |
        awk '{ sum += $1 } END { print sum + 0 }'
}

# number_in NAME: the first one in a file of NEO's.
number_in() {
    od -A n -t u8 -N 8 "$store/$1" | tr -d ' '
}

# differing: those of NEO's files that it didn't write so elsewhere.
differing() {
    local name
    for name in $(neo_files "$store"); do
        cmp -s "$store/$name" "$reference/$name" || echo "$name"
    done
}

# bad WHAT: what is wrong with ours; none is the same as the driver's.
bad() {
    OCLCACHE_DIR=$store build/oclcache verify | grep -v ': none is bad$'
}

# What NEO's cache writes and answers, alone.
loaded=()
for ((n = 0; n < 2 * sources; n++)); do
    loaded[n]=$(app bare "$reference" $n)
done
equal "NEO has its files in directories" \
    $(($(neo_files "$reference" | wc -l) >= 2 * sources)) 1

# own_hits NUMBER: how often NEO finds it in the store's directory.
own_hits() {
    local before=0
    [ ! -e "$store/stats" ] || before=$(number_in stats)
    NEO_CACHE_STATS=1 app bare "$store" "$1" >"$work/line"
    echo $(($(number_in stats) - before))
}

# check_all WHAT: every source is answered by each cache as it should be.
check_all() {
    local wrong="" n
    for ((n = 0; n < sources; n++)); do
        [ "$(own_hits $n)" = 1 ] || wrong+=" NEO:$n"
        [ "$(cat "$work/line")" = "${loaded[n]}" ] || wrong+=" NEO-loaded:$n"
        app layered "$store" $n >"$work/line"
        [ "$(lookups)" = hit ] || wrong+=" ours:$n:$(lookups)"
        [ "$(cat "$work/line")" = "${loaded[n]}" ] || wrong+=" loaded:$n"
    done
    equal "$1: each finds what it stored" "$wrong" ""
    equal "$1: NEO's bytes are those that it wrote" "$(differing)" ""
    equal "$1: ours are whole" "$(bad)" ""
}

# NEO is first: what it has made is a store. Then turn by turn.
app bare "$store" 0 >/dev/null
equal "NEO makes config.file" "$(stat -c %s "$store/config.file")" 8
# The layer learns what the driver does by a program that NEO keeps elsewhere.
for _ in 1 2; do
    OCLCACHE_DIR=$store app layered "$reference" 0 >/dev/null
done
for ((n = 0; n < sources; n++)); do
    [ $((n % 2)) != 0 ] || app bare "$store" $n >/dev/null
    app layered "$store" $n >/dev/null
done
equal "all are in one directory" "$(our_files "$store" | wc -l)" $sources
equal "the total is that of all" "$(number_in config.file)" "$(total_of "$store")"
check_all "both in one directory"

# Killed, with and without the layer, two at once.
for ((i = 0; i < kills; i++)); do
    n=$((RANDOM % sources))
    rm -f "$store/$(neo_files "$store" | sed -n "$((n + 1))p")"
    [ $((i % 2)) = 0 ] || rm -f "$(our_files "$store" | head -n 1)"
    for how in layered bare; do
        app $how "$store" $n timeout -s KILL "0.$(printf %03d $((RANDOM % 300)))" \
            >/dev/null 2>&1 &
    done
    wait
done 2>/dev/null
equal "after $kills kills: NEO's bytes are those that it wrote" "$(differing)" ""
# NEO raises the total behind what it has written.
equal "after $kills kills: ours are whole" \
    "$(bad | grep -v '^config.file: its total is less')" ""
echo "# NEO left $(find "$store" -name 'cl_cache.*' | wc -l) files that it was writing"
# A total that is too large evicts nothing; one that is too small is counted by us.
rm -f "$store/config.file"
for ((n = 0; n < sources; n++)); do
    app layered "$store" $n >/dev/null
    app bare "$store" $n >/dev/null
done
check_all "after $kills kills"

# One maximum: both see to it, and each evicts the other's.
export NEO_CACHE_MAX_SIZE=$(($(total_of "$store") * 2 / 3))
above="" neo_evicted=0 ours_evicted=0
for ((n = sources; n < 2 * sources; n++)); do
    # Whose turn it is to evict the other's, too.
    for how in layered bare; do
        neo=$(neo_files "$store" | wc -l) ours=$(our_files "$store" | wc -l)
        app $how "$store" $n >/dev/null
        [ "$(total_of "$store")" -le $NEO_CACHE_MAX_SIZE ] || above+=" $how:$n"
        [ "$(neo_files "$store" | wc -l)" -ge "$neo" ] || neo_evicted=1
        [ "$(our_files "$store" | wc -l)" -ge "$ours" ] || ours_evicted=1
    done
done
equal "the maximum is kept" "$above" ""
equal "files of both went: NEO's, ours" "$neo_evicted $ours_evicted" "1 1"
equal "what stayed of NEO's is what it wrote" "$(differing)" ""
equal "what stayed of ours is whole" "$(bad)" ""
