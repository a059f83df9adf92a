# shellcheck shell=bash
# A remote storage helper for the layer: the one that was written from the protocol
# alone (tests/remote/helper.py), over the directory $work/server.
#
#	start_helper [ATTRIBUTE=VALUE...]	it listens at $socket when this returns
#	end_helper				to be called before the script ends
#	fresh					no helper, and nothing at the server
#
# What it is asked it writes to $requests, a line each.

# shellcheck disable=SC2154 # lib.sh sets it.
socket=$work/socket requests=$work/requests
helper=

start_helper() {
    local -x CRSH_IPC_ENDPOINT=$socket CRSH_URL=file://$work/server CRSH_NUM_ATTR=1
    local -x CRSH_ATTR_KEY_0=log CRSH_ATTR_VALUE_0=$requests
    local attribute i
    for attribute; do
        local -x "CRSH_ATTR_KEY_$CRSH_NUM_ATTR=${attribute%%=*}"
        local -x "CRSH_ATTR_VALUE_$CRSH_NUM_ATTR=${attribute#*=}"
        CRSH_NUM_ATTR=$((CRSH_NUM_ATTR + 1))
    done
    : >"$requests"
    python3 tests/remote/helper.py 2>"$work/helper.err" &
    helper=$!
    # Who waits for all of his own doesn't wait for it.
    disown "$helper"
    for ((i = 0; i < 3000; i++)); do
        [ ! -S "$socket" ] || return 0
        sleep 0.01
    done
    cat "$work/helper.err"
    return 1
}

end_helper() {
    [ -z "$helper" ] || kill "$helper" 2>/dev/null
    helper=
    rm -f "$socket"
}

fresh() {
    end_helper
    rm -rf "$work"/store-* "$work/server"
}
