# shellcheck shell=bash
# Plays scenes in every way that must not make a difference, each in a process
# of its own, and compares all that they wrote down:
#
#	bare		without the layer, twice: what differs is random
#	empty store	the layer has nothing, and stores
#	filled store	the layer serves
#	loaded ahead	the same, when all that was loaded ahead is loaded
#	recorded	the same from an empty store, and again, while what is built
#			is recorded (OCLCACHE_RECORD)
#	remote		from an empty store, while entries are shared through a remote
#			storage (OCLCACHE_REMOTE), and again from another empty store
#	once more	where the run before stored anything
#	two plays	in one process, from an empty store, against two bare
#	deleted		from a filled store that is emptied half-way
#	device code	from a filled store to which the function or command
#			$device_code has added some; not without it
#
# or, with $wrong_remote, from an empty and from a filled store alone, with a remote
# storage at that socket that does wrong.
#
# A scene only counts when the trace of the run with a filled store shows the
# lookups that it expects. OCLCACHE_TEST_SAMPLE=N plays the core and N others,
# chosen by OCLCACHE_TEST_SEED; without it all are played, or those that
# match the expression OCLCACHE_TEST_SCENES. OCLCACHE_TEST_LOADERS has all of
# them played under these: "ocl-icd khronos".

# Scenes that show most: always played, and under both loaders.
core_scenes="two-kernels kernel-outlives callback-kernel il release-at-exit \
    other-options compile-link threads-mixed"

# Lookups that are traced when clCompileProgram and clLinkProgram are cached.
links_cached=${OCLCACHE_TEST_LINKS-yes}

# The thread that builds lets go of a program some time after a call, too. Where a
# build in a callback waits for ever, what was said by then depends on the clock.
steady_rusticl_26() {
    fields+=(-e '/^P[0-9]+ REFERENCE_COUNT: /s/( 0 4 )[0-9]+,/\1some,/')
    case ${scene-} in
    callback-kernel) ;;
    callback-builds | callback-same-key | compile-callback-links | threads-callbacks-build)
        fields+=(-e '/^exit status/!d')
        ;;
    *) fields+=(-e '/^counts: /s/(, P[0-9]* 0 )[0-9]+/\1some/') ;;
    esac
}

# steady DRIVER: random fields of the bare driver, found by running it twice.
# One "-e" per field, at most ten.
steady() {
    local -a fields=()
    case $1 in
    # The build log names a temporary file. What it dies of at exit varies.
    pocl) fields+=(
        -e 's/tempfile_[A-Za-z0-9_-]{6}/tempfile_XXXXXX/g'
        -e 's/^exit status (134|139)$/exit status: died/') ;;
    # Its thread lets go of a command some time after it is finished, and a
    # command holds the context.
    rusticl)
        fields+=(-e 's/(counts: context 0 )[0-9]+/\1some/')
        [ "${listed_as-}" != rusticl-26 ] || steady_rusticl_26
        ;;
    # Logs have the number of the source in the process; a callback may come on
    # another thread when several threads build at once.
    intel* | neo)
        fields+=(-e 's/([n"])[0-9]+(:[0-9]+:[0-9]+: (warning|error|note))/\1N\2/g')
        # Older releases answer with memory that was never written.
        [[ $1 != intel-* ]] || fields+=(
            -e 's/( GLOBAL_VARIABLE_TOTAL_SIZE: 0 8, 0 8 )[0-9]+/\1random/')
        [[ ${scene-} != threads-callbacks* ]] || fields+=(
            -e 's/(same thread, during the call|another thread)/some thread/')
        # The binary of a device that another device's build left alone has the
        # options and the SPIR-V of either, by when it was asked for first.
        [[ $1-${scene-} != neo-all-then-one ]] || fields+=(
            -e 's/^(run K\(9\) .* code .* binaries 0 )[0-9a-f]{16}/\1either/')
        # Two bytes of a sampler's state, which the compiler leaves as they were, and
        # the time; the instructions are compared.
        [[ ! $1-${scene-} =~ ^neo-(samplers|date)$ ]] || fields+=(
            -e 's/( not computed code .* binaries 0 )[0-9a-f]{16}/\1random/')
        ;;
    # Both answer with memory that was never written. What it dies of varies.
    oclgrind) fields+=(
        -e 's/^exit status (134|139)$/exit status: died/'
        -e 's/( ATTRIBUTES: ).*/\1random/'
        -e 's/( BINARY_TYPE: ).*/\1random/')
        # It dies of a kernel's program that is built anew, now here, now there.
        [ "${scene-}" != rebuild-attached ] || fields+=(
            -e '/^build P1 with -DN=4/,/^exit status/ { /^exit status/!d }') ;;
    esac
    sed -E "${fields[@]}" -e ''
}

# say_difference WHAT FILE FILE
say_difference() {
    echo "not ok $1"
    diff "$2" "$3" | cut -c 1-300 | head -n 12
}

# died_alone FILE FILE: do they only differ in that the first run died? Calls
# from exit handlers kill Intel's driver 19 times of 20.
died_alone() {
    grep -qE '^exit status(: died| 13[0-9])$' "$1" &&
        cmp -s <(grep -v '^exit status' "$1") <(grep -v '^exit status' "$2")
}

# compare WHAT FILE FILE [ARGUMENT...]: of the bare driver's run, and another. A
# bare driver that varies once in a while is asked again, with the arguments:
# what it, too, says in one of three more runs is its own. At most ten times in
# all, see check_varied.
compare() {
    local what=$1 first=$2 second=$3 keep_pocl=$may_keep try
    shift 3
    if cmp -s "$first" "$second"; then
        echo "ok $what"
        return
    elif died_alone "$first" "$second"; then
        echo "ok $what, though the bare driver died"
        return
    fi
    for try in 1 2 3; do
        play_once bare-again bare "${command[@]}" "$@"
        if cmp -s "$directory/bare-again" "$second"; then
            echo "ok $what, as the bare driver in run $try"
            echo varied >>"$directory/varied"
            return
        fi
    done
    say_difference "$what" "$first" "$second"
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

# play_once NAME HOW DRIVER ...: the transcript in $directory/NAME.
play_once() {
    local name=$1 how=$2 driver=$3
    shift 2
    "$how" "$@" 2>"$directory/$name.err" >"$directory/$name.raw"
    echo "exit status $?" >>"$directory/$name.raw"
    steady "$driver" <"$directory/$name.raw" >"$directory/$name"
}

# ended NAME OUTCOME: did the run end as the outcome says?
ended() {
    local status
    status=$(sed -n 's/^exit status //p' "$directory/$1.raw" | tail -n 1)
    case $2 in
    hangs*) [ "$status" = 124 ] ;;
    dies*) [ "$status" != 0 ] && [ "$status" != 124 ] ;;
    *) [ "$status" = 0 ] ;;
    esac
}

# Where to delete half-way: after the middle line, but not before the first
# build or link, which should be served first.
middle_of() {
    local lines first
    lines=$(wc -l <"$1")
    first=$(grep -nE '^(build|link|compile) ' "$1" | head -n 1 | cut -d: -f1)
    first=${first:-1}
    if [ $((lines / 2)) -gt "$first" ]; then
        echo $((lines / 2))
    else
        echo "$first"
    fi
}

play_bare() {
    play_once bare bare "${command[@]}"
    if grep -q '^SKIP' "$directory/bare.raw"; then
        echo "skip $what # $(sed -n 's/^SKIP //p' "$directory/bare.raw")"
        return 1
    fi
    if ! ended bare "$outcome"; then
        echo "not ok $what: without the layer it should end: $outcome"
        tail -qn 3 "$directory/bare.raw" "$directory/bare.err"
        return 1
    fi
    keep_pocl=$may_keep
    play_once bare2 bare "${command[@]}"
    compare "$what: bare twice" "$directory/bare" "$directory/bare2"
}

# Why lookups of the last run weren't hits, and what the first one didn't store.
why_not() {
    jq -r 'select(.oclcache == "lookup" and .result != "hit") |
        "\(.hash) \(.result): \(.reason)"' "$log" 2>/dev/null
    jq -r 'select(.oclcache == "store") |
        "first \(.hash) \(.result): \(.reason)"' "$directory/cold.log" 2>/dev/null
}

play_cold() {
    play_once cold layered "${command[@]}"
    cp "$log" "$directory/cold.log" 2>/dev/null
    compare "$what: empty store" "$directory/bare" "$directory/cold"
    if [ "${wanted%%/*}" -gt 0 ] && [ "$counts" = yes ] &&
        [ "$(traced lookup miss)" = 0 ]; then
        echo "not ok $what: nothing was looked up with an empty store"
    fi
}

# What PoCL finds in its own cache it hasn't got from here: that is empty.
play_warm() {
    [ "$seeded" = no ] || play_once seed layered "${command[@]}" --seed
    cp -r "$store" "$directory/store.half" 2>/dev/null
    keep_pocl=no
    play_once warm layered "${command[@]}"
    compare "$what: filled store" "$directory/bare" "$directory/warm"
    if [ "$counts" = no ]; then
        :
    elif traces "$wanted"; then
        echo "ok $what: $(counted) hit/miss/uncacheable"
    else
        echo "not ok $what: $(counted) hit/miss/uncacheable, not $wanted"
        why_not
    fi
    [ "$(traced lookup hit)" = 0 ] || echo hit >"$directory/hit"
    if [ -s "$log" ] && { grep -v '^{' "$log" || ! jq -e . "$log" >/dev/null; }; then
        echo "not ok $what: the trace isn't JSON"
    fi
}

# Hashes of the trace's events with this result.
hashes_of() {
    sed -n 's/^{"oclcache":"'"$1"'",.*"hash":"\([0-9a-f]*\)".*"result":"'"$2"'".*/\1/p' \
        "$log" 2>/dev/null | sort -u
}

# The run before took the same, with the same arguments: all of it is loaded while
# the context is made. What was loaded, and looked up then, counts.
play_ahead() {
    [ "$ahead" = yes ] || return 0
    keep_pocl=no
    play_once ahead layered "${command[@]:0:2}" env \
        LD_PRELOAD="$PWD/build/tests/preload/ahead.so" "${command[@]:2}"
    compare "$what: loaded ahead" "$directory/bare" "$directory/ahead"
    if [ "$counts" = yes ] && ! traces "$wanted"; then
        echo "not ok $what: loaded ahead: $(counted) hit/miss/uncacheable," \
            "not $wanted"
        why_not
    fi
    [ -z "$(comm -12 <(hashes_of prefetch loaded) <(hashes_of lookup hit))" ] ||
        echo ahead >"$directory/ahead-used"
}

# What is recorded of a miss and of a hit: as without, and the file is good. Whatever
# is served from the store has a record.
play_recorded() {
    [ "$recorded" = yes ] || return 0
    local store=$directory/store.recorded run
    local -x OCLCACHE_RECORD=$directory/database
    # shellcheck disable=SC2034 # for bare
    keep_pocl=$may_keep
    for run in miss hit; do
        play_once recorded layered "${command[@]}"
        compare "$what: recorded, $run" "$directory/bare" "$directory/recorded"
        [ $run = hit ] || play_once seed layered "${command[@]}" --seed
        keep_pocl=no
    done
    if [ "$counts" = yes ] && ! traces "$wanted"; then
        echo "not ok $what: recorded: $(counted) hit/miss/uncacheable," \
            "not $wanted"
        why_not
    fi
    [ -e "$OCLCACHE_RECORD" ] || [ "$(traced lookup hit)" = 0 ] ||
        echo "not ok $what: nothing was recorded"
    [ -e "$OCLCACHE_RECORD" ] || return 0
    if ! "$programs/records" "$OCLCACHE_RECORD" >"$directory/records" 2>&1; then
        echo "not ok $what: what was recorded is bad"
        tail -n 3 "$directory/records"
    elif [ "$(traced lookup hit)" = 0 ] || grep -q '^use ' "$directory/records"; then
        echo "ok $what: what was recorded is good"
        [ "$(traced lookup hit)" = 0 ] || echo recorded >"$directory/recorded-used"
    else
        echo "not ok $what: what was served isn't recorded"
    fi
}

# What a remote storage has is as good as what a store has. Scenes share one, as they
# have sources in common.
play_remote() {
    [ "$remote" = yes ] || return 0
    local store run
    local -x OCLCACHE_REMOTE="crsh:$socket unsigned=accept"
    # A scene that takes long isn't to be without it.
    local -x OCLCACHE_REMOTE_CONNECT=30000 OCLCACHE_REMOTE_WAIT=30000
    # shellcheck disable=SC2034 # for bare
    keep_pocl=$may_keep
    for run in first second; do
        # shellcheck disable=SC2034 # for layered
        store=$directory/store.remote-$run
        play_once remote layered "${command[@]}"
        compare "$what: remote, $run" "$directory/bare" "$directory/remote"
        ! grep -q '"result":"hit","reason":"remote"' "$log" 2>/dev/null ||
            echo remote >"$directory/remote-used"
        keep_pocl=no
    done
}

play_wrong_remote() {
    local -x OCLCACHE_REMOTE="crsh:$wrong_remote unsigned=accept"
    play_cold
    [ "$outcome" != - ] || play_warm
}

# The driver has built the handle before: the second build may carry state of
# the first, and is nobody else's business.
check_stored() {
    [ "$scene" = other-options ] || return 0
    if [ "$(traced store stored)" = 0 ]; then
        echo "ok $what: a second build isn't stored"
    else
        echo "not ok $what: a second build was stored"
    fi
}

# Of programs with device code the driver gets other bytes.
play_code() {
    [ -n "${device_code-}" ] || return 0
    "$device_code" "$store" >"$directory/code.raw" 2>&1
    keep_pocl=no
    play_once code layered "${command[@]}"
    compare "$what: device code" "$directory/bare" "$directory/code"
    if [ "$counts" = yes ] && ! traces "$wanted"; then
        echo "not ok $what: device code: $(counted) hit/miss/uncacheable," \
            "not $wanted"
        why_not
    fi
}

# What the run before stored must be as good.
play_again() {
    grep -q '"result":"stored"' "$log" 2>/dev/null || return 0
    play_once again layered "${command[@]}"
    compare "$what: once more" "$directory/bare" "$directory/again"
}

play_twice() {
    local store=$directory/store.twice
    # PoCL's own cache would answer the second play.
    [ "$logs" = - ] || export POCL_KERNEL_CACHE=0
    keep_pocl=$may_keep
    play_once bare-twice bare "${command[@]}" --twice
    play_once twice layered "${command[@]}" --twice
    compare "$what: two plays" "$directory/bare-twice" "$directory/twice" --twice
    unset POCL_KERNEL_CACHE
}

play_deleted() {
    local store=$directory/store.half
    keep_pocl=no
    export SCENE_DELETE
    SCENE_DELETE=$(middle_of "$directory/bare.raw"):$store
    play_once deleted layered "${command[@]}"
    unset SCENE_DELETE
    compare "$what: deleted half-way" "$directory/bare" "$directory/deleted"
    if [ "${wanted%%/*}" -gt 0 ] && [ "$counts" = yes ] &&
        ! grep -q '^[1-9][0-9]* entries deleted' "$directory/deleted.err"; then
        echo "not ok $what: nothing was there to be deleted"
    fi
}

# play_scene DIRECTORY DRIVER LOADER PROGRAM LINE AHEAD RECORDED REMOTE: lines for
# adopt. AHEAD is "yes" where all is to be loaded ahead, too, RECORDED where it is to be
# recorded, REMOTE where it is to be shared.
play_scene() {
    local directory=$1 driver=$2 loader=$3 program=$4 ahead=$6 recorded=$7 remote=$8
    local scene wanted outcome logs links reason
    IFS=$'\t' read -r scene wanted outcome logs links reason <<<"$5"
    local -a command=("$driver" "$loader" "$programs/$program" "$scene")
    local what="$driver $loader $scene" may_keep=yes counts=yes seeded=yes
    # bare and layered work in these.
    # shellcheck disable=SC2034
    local limit=60 keep_pocl=no
    local work=$directory log=$directory/log store=$directory/store
    mkdir -p "$directory"
    [ "$logs" = - ] || may_keep=no
    # Some end so under one loader only.
    case $outcome in
    *" under $loader: "*) ;;
    *" under "*) outcome=- ;;
    esac
    # shellcheck disable=SC2034
    [ "$outcome" = - ] || counts=no limit=8
    [ "$links" = - ] || [ "$links_cached" = yes ] || counts=no

    play_bare || return
    if [ -n "${wrong_remote-}" ]; then
        play_wrong_remote
        rm -rf "$directory"/store*
        return
    fi
    play_cold
    if [ "$outcome" = - ]; then
        play_warm
        check_stored
        play_ahead
        play_again
        play_recorded
        play_remote
        play_code
        play_twice
        play_deleted
    fi
    if [ "$reason" = - ] && [ "${wanted%%/*}" = 0 ] && [ "$counts" = yes ] &&
        grep -qE '^(build|link) .*: 0, status 0' "$directory/bare"; then
        echo "not ok $what: builds, isn't served, and no reason is given"
    fi
    if grep -h oclcache: "$directory"/*.err; then
        echo "not ok $what: the layer prints without being asked"
    fi
    rm -rf "$directory"/store* "$directory/pocl" "$directory/mesa"
}

is_core() {
    case " $core_scenes " in
    *" $1 "*) return 0 ;;
    esac
    return 1
}

# Lines "PROGRAM<tab>LINE OF --list" of all scenes for a driver, or for $listed_as.
all_scenes() {
    local program line
    for program in "$programs"/scene_*; do
        [ -x "$program" ] || continue
        while IFS= read -r line; do
            printf '%s\t%s\n' "${program##*/}" "$line"
        done < <("$program" --list "${listed_as-$1}")
    done
}

# The core and a sample of the others, in an order that the seed gives.
chosen_scenes() {
    local driver=$1 line name
    if [ -z "${OCLCACHE_TEST_SAMPLE-}" ]; then
        all_scenes "$driver"
        return
    fi
    local seed
    seed=$(test_seed)
    # Not on standard output: the caller reads scenes there.
    echo "# $driver: the core and $OCLCACHE_TEST_SAMPLE others," \
        "OCLCACHE_TEST_SEED=$seed" >&2
    all_scenes "$driver" >"$work/all"
    while IFS= read -r line; do
        name=$(cut -f2 <<<"$line")
        ! is_core "$name" || printf '%s\n' "$line"
    done <"$work/all"
    while IFS= read -r line; do
        name=$(cut -f2 <<<"$line")
        is_core "$name" || printf '%s %s\n' \
            "$(printf '%s' "$seed $driver $name" | cksum | cut -d' ' -f1)" "$line"
    done <"$work/all" | sort -n | head -n "$OCLCACHE_TEST_SAMPLE" | cut -d' ' -f2-
}

# Both loaders for the core, one after the other for the rest.
scene_loaders() {
    if [ -n "${OCLCACHE_TEST_LOADERS-}" ]; then
        echo "$OCLCACHE_TEST_LOADERS"
    elif is_core "$1" && [ -z "${OCLCACHE_TEST_SAMPLE-}" ]; then
        echo ocl-icd khronos
    else
        turn=$((turn + 1))
        if [ $((turn % 2)) = 0 ]; then echo ocl-icd; else echo khronos; fi
    fi
}

seed_number=$(printf %s "${OCLCACHE_TEST_SEED:-0}" | cksum | cut -d ' ' -f 1)

# is_ahead COUNT DRIVER: is that scene played with everything loaded ahead? In the
# short form every third is, and on rusticl, which takes long; others by another
# OCLCACHE_TEST_SEED.
is_ahead() {
    if [ $((($1 + seed_number) % 3)) = 1 ]; then
        echo yes
    elif [ "$2" = rusticl ]; then
        echo no
    elif [ -n "${OCLCACHE_TEST_LONG-}" ] || [ -z "${OCLCACHE_TEST_SAMPLE-}" ]; then
        echo yes
    else
        echo no
    fi
}

# is_recorded COUNT: is that scene played while it is recorded? Every tenth is, others
# by another OCLCACHE_TEST_SEED; with OCLCACHE_TEST_RECORDED=all, all are.
is_recorded() {
    if [ -n "${OCLCACHE_TEST_RECORDED-}" ] ||
        [ $((($1 + seed_number) % 10)) = 3 ]; then
        echo yes
    else
        echo no
    fi
}

# is_remote COUNT: is that scene played with a remote storage? Every tenth is, others by
# another OCLCACHE_TEST_SEED; with OCLCACHE_TEST_REMOTE=all, all are.
is_remote() {
    if [ -z "${socket-}" ]; then
        echo no
    elif [ -n "${OCLCACHE_TEST_REMOTE-}" ] ||
        [ $((($1 + seed_number) % 10)) = 6 ]; then
        echo yes
    else
        echo no
    fi
}

# Scenes that were served with what was loaded ahead: where all are played so, half of
# those that are served at all. (Others build in a second context, link, or have a
# callback.) Oclgrind has nothing loaded ahead.
check_ahead() {
    local driver=$1 used wanted=1
    [ "$driver" != oclgrind ] && [ -z "${wrong_remote-}" ] || return 0
    [ -z "${OCLCACHE_TEST_LONG-}" ] ||
        wanted=$(($(find "$work" -mindepth 2 -maxdepth 2 -name hit | wc -l) / 2))
    [ "$driver" != rusticl ] || wanted=1
    used=$(find "$work" -mindepth 2 -maxdepth 2 -name ahead-used | wc -l)
    if [ -n "${OCLCACHE_TEST_SCENES-}" ]; then
        echo "# $driver: $used scenes were served with what was loaded ahead"
    elif [ "$used" -ge $wanted ]; then
        pass "$driver: $used scenes were served with what was loaded ahead"
    else
        fail "$driver: $used scenes were served with what was loaded ahead," \
            "not $wanted" </dev/null
    fi
}

# How many scenes of those played were served.
check_hits() {
    local driver=$1 hits
    hits=$(find "$work" -mindepth 2 -maxdepth 2 -name hit | wc -l)
    if [ -n "${OCLCACHE_TEST_SAMPLE-}${OCLCACHE_TEST_SCENES-}" ]; then
        echo "# $driver: $hits scenes were served"
    elif [ "$hits" -ge 80 ]; then
        pass "$driver: $hits scenes were served"
    else
        fail "$driver: $hits scenes were served, not 80" </dev/null
    fi
}

# Something of what was served must have been recorded.
check_recorded() {
    local driver=$1 used
    [ -z "${wrong_remote-}" ] || return 0
    used=$(find "$work" -mindepth 2 -maxdepth 2 -name recorded-used | wc -l)
    if [ -n "${OCLCACHE_TEST_SCENES-}" ] || [ "$used" -gt 0 ]; then
        echo "# $driver: $used scenes were recorded when they were served"
    else
        fail "$driver: no scene was recorded" </dev/null
    fi
}

# And with a remote storage, of those that were played with one.
check_remote() {
    local driver=$1 used
    [ -n "${socket-}" ] && [ -z "${wrong_remote-}" ] || return 0
    used=$(find "$work" -mindepth 2 -maxdepth 2 -name remote-used | wc -l)
    if [ -n "${OCLCACHE_TEST_SCENES-}" ] || [ "$used" -gt 0 ]; then
        echo "# $driver: $used scenes were served by a remote storage"
    else
        fail "$driver: no scene was served by a remote storage" </dev/null
    fi
}

# On simulated devices: how many results the first runs had nothing of, and that
# their lines have what was loaded in its place.
say_not_computed() {
    local driver=$1 lines compared
    lines=$(find "$work" -mindepth 2 -maxdepth 2 -name bare -exec cat {} + |
        grep ' not computed')
    [ -n "$lines" ] || return 0
    compared=$(grep -c ' code 0 [1-9][0-9]* .* binaries 0 ' <<<"$lines")
    echo "# $driver: $(wc -l <<<"$lines") results weren't compared, for the device" \
        "is simulated: of $compared the code and the binaries were"
    if [ "$compared" -gt 0 ]; then
        pass "$driver: what is loaded was compared"
    else
        fail "$driver: what is loaded wasn't compared" <<<"$lines"
    fi
}

# In order, and as soon as may be: a run that is cut short has said something.
adopt_finished() {
    while [ -e "$work/$((adopted + 1)).done" ]; do
        adopted=$((adopted + 1))
        adopt "" <"$work/$adopted.result"
    done
}

# How often the bare driver had to be asked again.
check_varied() {
    local driver=$1 varied
    varied=$(find "$work" -mindepth 2 -maxdepth 2 -name varied -exec cat {} + | wc -l)
    if [ "$varied" -le 10 ]; then
        pass "$driver: the bare driver varied $varied times"
    else
        fail "$driver: the bare driver varied $varied times" </dev/null
    fi
}

# A remote storage for those that are played with one.
share_scenes() {
    if ! command -v python3 >/dev/null; then
        echo "# no scene is played with a remote storage: python3 isn't installed"
        return
    fi
    # shellcheck source=tests/layer/remote.sh
    . tests/layer/remote.sh
    fresh
    start_helper
}

# play_scenes DRIVER
play_scenes() {
    local driver=$1 program line loader why
    local count=0 turn=0 adopted=0 jobs
    local -a loaders
    if why=$(untested "$driver" "$(any_loader "$driver")"); then
        skip "scenes on $driver" "$why"
        return
    fi
    jobs=$(nproc)
    share_scenes
    # The scene with two loaders wants to find both.
    for loader in ocl-icd khronos; do
        unavailable "$driver" $loader >/dev/null
    done
    while IFS=$'\t' read -r program line; do
        # Not in a subshell: it counts its turns.
        scene_loaders "${line%%$'\t'*}" >"$work/loaders"
        read -r -a loaders <"$work/loaders"
        for loader in "${loaders[@]}"; do
            count=$((count + 1))
            if why=$(unavailable "$driver" "$loader"); then
                echo "skip $driver $loader ${line%%$'\t'*} # $why" \
                    >"$work/$count.result"
                touch "$work/$count.done"
                continue
            fi
            while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
                wait -n
            done
            {
                play_scene "$work/$count" "$driver" "$loader" "$program" \
                    "$line" "$(is_ahead $count "$driver")" "$(is_recorded $count)" \
                    "$(is_remote $count)"
                touch "$work/$count.done"
            } >"$work/$count.result" 2>&1 &
            adopt_finished
        done
    done < <(chosen_scenes "$driver" | grep -E "${OCLCACHE_TEST_SCENES-.}")
    wait
    adopt_finished
    unavailable "$driver" "$(any_loader "$driver")" >/dev/null ||
        {
            check_hits "$driver"
            check_ahead "$driver"
            check_recorded "$driver"
            check_remote "$driver"
        }
    check_varied "$driver"
    say_not_computed "$driver"
    [ -z "${socket-}" ] || end_helper
}
