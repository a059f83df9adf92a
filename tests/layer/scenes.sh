# shellcheck shell=bash
# Plays every scene three times (without the layer, with an empty store, with
# what the second run left there; and once more where that stored anything) and
# compares all that the scene wrote down.
# A scene only counts when the trace says that its programs came from the store
# in the third run, and that the second one had to build them.

# Fields that differ between two runs without the layer:
# PoCL's build log names a temporary file.
steady() {
    sed -E 's/tempfile_[A-Za-z0-9]{6}/tempfile_XXXXXX/g'
}

# say_difference WHAT FILE FILE
say_difference() {
    echo "not ok $1"
    diff "$2" "$3" | cut -c 1-300 | head -n 12
}

# matches WANTED GOT: a number, or -1 for any.
matches() {
    [ "$1" = -1 ] || [ "$1" = "$2" ]
}

# traces WANTED: "hit/miss/uncacheable" against the trace.
traces() {
    local hit miss uncacheable
    IFS=/ read -r hit miss uncacheable <<<"$1"
    matches "$hit" "$(traced lookup hit)" &&
        matches "$miss" "$(traced lookup miss)" &&
        matches "$uncacheable" "$(traced lookup uncacheable)"
}

counted() {
    echo "$(traced lookup hit)/$(traced lookup miss)/$(traced lookup uncacheable)"
}

play_once() {
    local folder=$1 how=$2 name=$3
    shift 3
    "$how" "$@" 2>"$folder/$name.err" >"$folder/$name.raw"
    echo "exit status $?" >>"$folder/$name.raw"
    steady <"$folder/$name.raw" >"$folder/$name"
}

# play_scene FOLDER DRIVER LOADER PROGRAM SCENE WANTED: lines for adopt.
play_scene() {
    local folder=$1 driver=$2 loader=$3 scene=$5 wanted=$6
    local -a command=("$2" "$3" "$programs/$4" "$5")
    local what="$driver $loader $scene"
    # bare and layered work in these.
    local work=$folder log=$folder/log hits
    # shellcheck disable=SC2034
    local store=$folder/store
    mkdir -p "$folder"

    play_once "$folder" bare bare "${command[@]}"
    if grep -q '^SKIP' "$folder/bare.raw"; then
        echo "skip $what # $(sed -n 's/^SKIP //p' "$folder/bare.raw")"
        return
    fi
    if ! grep -q '^exit status 0$' "$folder/bare.raw"; then
        echo "not ok $what: fails without the layer"
        tail -n 3 "$folder/bare.raw" "$folder/bare.err"
        return
    fi
    # To save time: what PoCL has in its own cache, it needn't compile again.
    # Not for the scene about warnings, which it then loses.
    local keep_pocl=yes
    [ "$scene" != warning ] || keep_pocl=no
    play_once "$folder" layered cold "${command[@]}"
    if ! cmp -s "$folder/bare" "$folder/cold"; then
        say_difference "$what: empty store" "$folder/bare" "$folder/cold"
    else
        echo "ok $what: empty store"
    fi
    hits=${wanted%%/*}
    if [ "$hits" -gt 0 ] && [ "$(traced lookup miss)" = 0 ]; then
        echo "not ok $what: nothing was looked up with an empty store"
    fi
    play_once "$folder" layered seed "${command[@]}" --seed
    # shellcheck disable=SC2034
    keep_pocl=no
    play_once "$folder" layered warm "${command[@]}"
    if ! cmp -s "$folder/bare" "$folder/warm"; then
        say_difference "$what: filled store" "$folder/bare" "$folder/warm"
    else
        echo "ok $what: filled store"
    fi
    if traces "$wanted"; then
        echo "ok $what: $(counted) hit/miss/uncacheable"
    else
        echo "not ok $what: $(counted) hit/miss/uncacheable, not $wanted"
    fi
    if [ -s "$log" ] && { grep -v '^{' "$log" || ! jq -e . "$log" >/dev/null; }; then
        echo "not ok $what: the trace isn't JSON"
    fi
    # The driver has built the handle before: the second build may carry
    # state of the first, and is nobody else's business.
    if [ "$scene" = other-options ]; then
        if [ "$(traced store stored)" = 0 ]; then
            echo "ok $what: a second build isn't stored"
        else
            echo "not ok $what: a second build was stored"
        fi
    fi
    # What the third run stored must be as good.
    if grep -q '"result":"stored"' "$log" 2>/dev/null; then
        play_once "$folder" layered again "${command[@]}"
        if ! cmp -s "$folder/bare" "$folder/again"; then
            say_difference "$what: once more" "$folder/bare" "$folder/again"
        else
            echo "ok $what: once more"
        fi
    fi
    if grep -h oclcache: "$folder"/*.err; then
        echo "not ok $what: the layer prints without being asked"
    fi
}

# Under which loaders a scene is played: both for some that show most.
scene_loaders() {
    case $1 in
    two-kernels | kernel-outlives | callback-kernel | il | release-at-exit | \
        other-options)
        echo ocl-icd khronos
        ;;
    *)
        turn=$((turn + 1))
        if [ $((turn % 2)) = 0 ]; then echo ocl-icd; else echo khronos; fi
        ;;
    esac
}

# play_scenes DRIVER
play_scenes() {
    local driver=$1 program name pocl intel loader wanted why
    local count=0 turn=0 jobs
    local -a loaders
    jobs=$(nproc)
    for program in queries kernels lifetime builds compile il parameters \
        devices; do
        program=scene_$program
        while read -r name pocl intel; do
            wanted=$intel
            [ "$driver" != pocl ] || wanted=$pocl
            # Not in a subshell: it counts its turns.
            scene_loaders "$name" >"$work/loaders"
            read -r -a loaders <"$work/loaders"
            for loader in "${loaders[@]}"; do
                count=$((count + 1))
                if why=$(unavailable "$driver" "$loader"); then
                    echo "skip $driver $loader $name # $why" \
                        >"$work/$count.result"
                    continue
                fi
                while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
                    wait -n
                done
                play_scene "$work/$count" "$driver" "$loader" "$program" \
                    "$name" "${wanted#*=}" >"$work/$count.result" 2>&1 &
            done
        done < <("$programs/$program" --list)
    done
    wait
    for ((loader = 1; loader <= count; loader++)); do
        adopt "" <"$work/$loader.result"
    done
}
