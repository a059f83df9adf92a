# shellcheck shell=bash
# What the tests of the command share: source it first. Everything of
# tests/layer/lib.sh (a private home and folder, TAP, drivers), and:
#
#	golden NAME COMMAND...	what the command prints, on both streams, and
#				its exit status, against tests/cli/golden/NAME
#	typed COMMAND...	runs it on a terminal (of 100 columns); what that
#				would show is on standard output
#
# Times, sizes of files, hashes and paths are masked: mask's rules, and those
# that a script adds to the array `masks` (sed's, extended).
#
# OCLCACHE_TEST_UPDATE=1 writes the goldens anew; look at the difference.

# shellcheck source=tests/layer/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../layer/lib.sh"

# shellcheck disable=SC2034 # of those who source this
command=$PWD/build/oclcache
goldens=tests/cli/golden
export OCLCACHE_DIR=$store
# No terminal's, unless a test gives it one.
unset NO_COLOR COLUMNS
export TERM=xterm
export TZ=UTC
masks=()

mask() {
    local rule
    local -a rules=(-e "s#$work#WORK#g" -e "s#$PWD#ROOT#g"
        -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}/TIME/g')
    for rule in "${masks[@]}"; do
        rules+=(-e "$rule")
    done
    sed -E "${rules[@]}"
}

# golden NAME COMMAND...
golden() {
    local name=$1 kept=$goldens/$1 got=$work/golden.$1
    shift
    {
        "$@" 2>"$got.err" </dev/null
        echo "exit status $?"
    } >"$got.out"
    { cat "$got.out" && sed 's/^/2> /' "$got.err"; } | mask >"$got"
    if [ -n "${OCLCACHE_TEST_UPDATE-}" ]; then
        mkdir -p "$goldens"
        cp "$got" "$kept"
    fi
    same "$name: as in $kept" "$kept" "$got"
}

# typed COMMAND...: script(1) makes the terminal.
typed() {
    local line
    printf -v line '%q ' "$@"
    script -qec "stty cols 100; $line" /dev/null </dev/null
}
