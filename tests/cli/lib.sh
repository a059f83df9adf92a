# shellcheck shell=bash
# What the tests of the command share: source it first. Everything of
# tests/layer/lib.sh (a private home and directory, TAP, drivers), and:
#
#	golden NAME COMMAND...	what is typed, what that prints on both streams
#				and its exit status, against the section NAME of
#				the script's transcript in tests/cli/golden
#	typed COMMAND...	runs it on a terminal (of $columns columns, or 100); what that
#				would show is on standard output
#
# Times, sizes of files, hashes and paths are masked: mask's rules, and those
# that a script adds to the array `masks` (sed's, extended).
#
# OCLCACHE_TEST_UPDATE=1 writes the transcript anew; look at the difference.

# shellcheck source=tests/layer/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../layer/lib.sh"

command=$PWD/build/oclcache
transcript=${0##*/}
transcript=tests/cli/golden/${transcript#[0-9][0-9]-}
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

# section NAME: that of the transcript as it is kept.
section() {
    awk -v "name=## $1" '/^## / { found = $0 == name; next } found' "$transcript"
}

# golden NAME COMMAND...
golden() {
    local name=$1 got=$work/golden.$1 typed
    shift
    {
        "$@" 2>"$got.err" </dev/null
        echo "exit status $?"
    } >"$got.out"
    {
        typed=${*//"$command"/oclcache}
        # Whichever loader there is.
        echo "\$ ${typed//"$PATH"/PATH}" |
            sed -E 's/(opencl-env [a-z]+) (khronos|ocl-icd) /\1 LOADER /'
        cat "$got.out"
        sed 's/^/2> /' "$got.err"
    } | mask >"$got"
    grep -sqx "## $name" "$work/transcript" ||
        { echo "## $name" && cat "$got"; } >>"$work/transcript"
    [ -z "${OCLCACHE_TEST_UPDATE-}" ] || cp "$work/transcript" "$transcript"
    same "$name: as in $transcript" <(section "$name") "$got"
}

# typed COMMAND...: script(1) makes the terminal. Its shell reads bash's quotes.
typed() {
    local line
    printf -v line '%q ' "$@"
    SHELL=$BASH script -qec "stty cols ${columns-100}; $line" /dev/null </dev/null
}
