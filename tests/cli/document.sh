# shellcheck shell=bash
# The blocks of commands of a document, as tests/cli/blocks.py wrote them into a
# directory: played and judged. Source it behind lib.sh, and define lacks, which says
# why one of the things that a block needs isn't there, and fails when all are.

# reason_not_to_run BLOCK
reason_not_to_run() {
    local -a needs=()
    if [ -e "$1.not" ]; then
        cat "$1.not"
    elif [ -e "$1.needs" ]; then
        read -r -a needs <"$1.needs"
        lacks "${needs[@]}"
    else
        return 1
    fi
}

# The blocks in $1 as one script, which leaves N.out of each, and N.done of those
# that came to their end.
write_script() {
    local directory=$1 block
    # shellcheck disable=SC2016 # for the script
    echo 'set -eo pipefail'
    for block in "$directory"/[0-9][0-9][0-9]; do
        [ -e "$block" ] || continue
        ! reason_not_to_run "$block" >"$block.why" || continue
        printf 'exec >%q 2>&1\n' "$block.out"
        cat "$block"
        printf ': >%q\n' "$block.done"
    done
}

# judge DOCUMENT BLOCK
judge() {
    local block=$2 what pattern
    what="$1:$(cat "$block.line")"
    if [ -s "$block.why" ]; then
        skip "$what" "$(cat "$block.why")"
        return
    elif [ ! -e "$block.out" ]; then
        fail "$what: not reached" <"$block"
        return
    elif [ ! -e "$block.done" ]; then
        fail "$what: runs" < <(cat "$block" && echo "says:" && cat "$block.out")
        return
    fi
    pass "$what: runs"
    [ -e "$block.seen" ] || return
    while IFS= read -r pattern; do
        if grep -qE -e "$pattern" "$block.out"; then
            pass "$what: says $pattern"
        else
            fail "$what: says $pattern" <"$block.out"
        fi
    done <"$block.seen"
}
