# shellcheck shell=bash
# What the scripts here share. Source it first: it goes to the top of the tree,
# makes a private directory with a home and a store in it, clears the environment
# of everything that the layer or the drivers would listen to, and takes the
# directory away at the end.
#
# TAP: pass, fail, skip, check, equal, same, adopt; finish prints the plan.
#
# OCLCACHE_TEST_DRIVERS="stub pocl" and OCLCACHE_TEST_LOADERS="ocl-icd" are the
# drivers and loaders that are tested; without them all are. What asks for others
# says so in a comment, and isn't a test.

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/oclcache-test.XXXXXX") || exit 1
trap 'chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
for name in $(compgen -e); do
    case $name in
    # How much of the tests is wanted: not the layer's.
    OCLCACHE_TEST_*) ;;
    OCLCACHE_* | NEO_* | POCL_* | CL_CONFIG_* | OCL_ICD_* | OPENCL_* | STUB_* | \
        MESA_* | RUSTICL_* | OCLGRIND_* | XDG_CACHE_HOME | XDG_CONFIG_HOME | \
        PrintDebugMessages | BinaryCacheTrace)
        unset "$name"
        ;;
    esac
done
export HOME=$work/home
export LC_ALL=C
mkdir "$HOME"
# No /etc/oclcache.conf of the machine: /etc is an empty one, in which tests of
# the files make theirs.
export OCLCACHE_ROOT=$work/root
mkdir "$OCLCACHE_ROOT"
# Rusticl's own cache would answer in the place of its compiler.
export MESA_SHADER_CACHE_DISABLE=true

# What scripts/opencl-env says, once it has been asked: see opencl_settings.
settings_directory=$work/environments
mkdir "$settings_directory"

layer=$PWD/build/liboclcache.so
export programs=build/tests/layer
# What the layer_run commands use; scripts change these as they like.
store=$work/store
log=$work/log
number=0 left_out=0 cases=0 left_to_others=0

pass() {
    number=$((number + 1))
    echo "ok $number - $*"
}

# fail WHAT: what is on stdin explains it.
fail() {
    number=$((number + 1))
    echo "not ok $number - $*"
    head -n 40 | cut -c 1-400 | sed 's/^/#   /'
}

# skip WHAT WHY: what `unavailable` says of drivers that aren't tested is none.
skip() {
    if [[ $2 == "$not_tested"* ]]; then
        left_out=$((left_out + 1))
        echo "# $1: $2"
        return
    fi
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

finish() {
    [ $left_to_others = 0 ] || echo "# $left_to_others cases are played in the" \
        "long form alone, with another OCLCACHE_TEST_SEED than $(test_seed), or" \
        "with OCLCACHE_TEST_ALL=1"
    if [ $number = 0 ] && [ $left_out -gt 0 ]; then
        echo "1..0 # all of it is for drivers that aren't tested"
    else
        echo "1..$number"
    fi
}

# check WHAT COMMAND...
check() {
    local what=$1 output
    shift
    if output=$("$@" 2>&1); then
        pass "$what"
    else
        fail "$what" <<<"$* said: $output"
    fi
}

# refuse WHAT COMMAND...: the command must fail.
refuse() {
    local what=$1 output
    shift
    if output=$("$@" 2>&1); then
        fail "$what" <<<"$* succeeded: $output"
    else
        pass "$what"
    fi
}

# equal WHAT GOT WANTED
equal() {
    if [ "$2" = "$3" ]; then
        pass "$1"
    else
        fail "$1" < <(printf 'got:    %s\nwanted: %s\n' "$2" "$3")
    fi
}

# same WHAT FILE FILE
same() {
    local difference
    if difference=$(diff "$2" "$3" 2>&1); then
        pass "$1"
    else
        fail "$1" <<<"$difference"
    fi
}

# adopt PREFIX: numbers "ok WHAT", "not ok WHAT", "skip WHAT # WHY" of stdin.
adopt() {
    local line
    while IFS= read -r line; do
        case $line in
        'ok '*) pass "$1${line#ok }" ;;
        'not ok '*) fail "$1${line#not ok }" </dev/null ;;
        'skip '*)
            line=${line#skip }
            skip "$1${line%% # *}" "${line#* # }"
            ;;
        *) echo "#   $line" ;;
        esac
    done
}

# What samples follow from: as told; else the commit in the long form, and the same
# each time in the others.
test_seed() {
    if [ -n "${OCLCACHE_TEST_SEED-}" ]; then
        echo "$OCLCACHE_TEST_SEED"
    elif [ -n "${OCLCACHE_TEST_LONG-}" ]; then
        git rev-parse --short HEAD 2>/dev/null || echo 0
    else
        echo 0
    fi
}

# is_turn EVERY: is this case played? In the short form one of so many is, in turn;
# which one is first follows from test_seed. (Not in a subshell: it counts.)
is_turn() {
    [ -n "${OCLCACHE_TEST_SAMPLE-}" ] || return 0
    [ -n "${first_case-}" ] ||
        first_case=$(($(test_seed | cksum | cut -d ' ' -f 1) % 1000))
    cases=$((cases + 1))
    [ $(((first_case + cases) % $1)) != 0 ] || return 0
    left_to_others=$((left_to_others + 1))
    return 1
}

# is_share EVERY: the same for what takes too long even for the long form. There, too,
# one of so many is played, others with each commit; with OCLCACHE_TEST_ALL=1 all are.
is_share() {
    [ -z "${OCLCACHE_TEST_ALL-}" ] || return 0
    local OCLCACHE_TEST_SAMPLE=${OCLCACHE_TEST_SAMPLE:-1}
    is_turn "$1"
}

# is_tested LIST NAME
is_tested() {
    [ -z "$1" ] || [[ " $1 " == *" $2 "* ]]
}

# The loader that a script uses where either will do.
any_loader() {
    if [ "$1" = pocl ] || ! is_tested "${OCLCACHE_TEST_LOADERS-}" khronos; then
        echo ocl-icd
    else
        echo khronos
    fi
}

# How it begins when a driver or loader isn't among those that are tested.
not_tested="not tested here:"

# untested DRIVER LOADER: says so; fails when both are tested.
untested() {
    # A sanitizer's stub is the stub, and an older release the driver.
    if is_tested "${OCLCACHE_TEST_DRIVERS-}" "${1%%-*}" &&
        is_tested "${OCLCACHE_TEST_LOADERS-}" "$2"; then
        return 1
    fi
    echo "$not_tested $1 under $2"
}

# opencl_settings DRIVER LOADER: a file of commands for the shell, in
# $settings_file. The script that writes it takes longer than most programs here.
opencl_settings() {
    settings_file=$settings_directory/$1-$2
    [ ! -e "$settings_file" ] || return 0
    local fresh=$settings_file.$BASHPID
    env -u LD_LIBRARY_PATH scripts/opencl-env "$1" "$2" >"$fresh" || return
    mv "$fresh" "$settings_file"
}

# unavailable DRIVER LOADER: says why a driver under a loader can't be had; fails
# when it can.
unavailable() {
    local why status
    ! untested "$1" "$2" || return 0
    why=$(opencl_settings "$1" "$2" 2>&1)
    status=$?
    [ $status -ne 0 ] || return 1
    echo "${why#scripts/opencl-env: }"
}

# Drivers that are here, each with a loader that it can be had with.
drivers() {
    local driver
    for driver in pocl intel; do
        if ! unavailable $driver "$(any_loader $driver)" >/dev/null; then
            echo $driver
        fi
    done
}

# Intel's older CPU runtimes that are here, as drivers, oldest first.
intel_versions() {
    find build/intel/ -mindepth 1 -maxdepth 1 -name '[0-9]*' \
        -printf 'intel-%f\n' 2>/dev/null | sort -V
}

# The driver for tests that don't depend on it: the one that compiles fastest, but
# for Oclgrind, which builds without optimizing and is less like others.
quick_driver() {
    local driver
    for driver in intel oclgrind pocl; do
        if ! unavailable $driver "$(any_loader $driver)" >/dev/null; then
            echo $driver
            return
        fi
    done
}

# in_opencl DRIVER LOADER COMMAND...: as scripts/opencl-env runs it.
in_opencl() (
    inherited=${LD_LIBRARY_PATH-}
    opencl_settings "$1" "$2" || exit
    # shellcheck disable=SC1090 # what opencl_settings wrote
    . "$settings_file"
    LD_LIBRARY_PATH+=${inherited:+:$inherited}
    shift 2
    exec "$@"
)

# bare DRIVER LOADER COMMAND...: PoCL's own cache starts empty each time, for
# what it gives back has no build log, unless keep_pocl is "yes"; and Mesa's as a
# copy of $mesa_cache, if that is set.
bare() {
    local driver=$1 loader=$2
    shift 2
    [ "${keep_pocl-}" = yes ] || rm -rf "$work/pocl"
    if [ -n "${mesa_cache-}" ]; then
        local -x MESA_SHADER_CACHE_DIR=$work/mesa
        rm -rf "$work/mesa"
        cp -r "$mesa_cache" "$work/mesa"
    fi
    POCL_CACHE_DIR=$work/pocl in_opencl "$driver" "$loader" \
        timeout "${limit:-60}" "$@"
}

# layered DRIVER LOADER COMMAND...: with the layer, the store in $store and a
# new trace in $log.
layered() {
    rm -f "$log"
    OPENCL_LAYERS=$layer OCLCACHE_DIR=$store OCLCACHE_STORE=eager \
        BinaryCacheTrace=1 OCLCACHE_LOG_FILE=$log bare "$@"
}

# plain DRIVER LOADER COMMAND...: with the layer, and nothing else set for it.
plain() {
    OPENCL_LAYERS=$layer OCLCACHE_STORE=eager bare "$@"
}

# How many lines of the trace have this result: lookups hit, miss ...
traced() {
    local count
    count=$(grep -c "^{\"oclcache\":\"$1\".*\"result\":\"$2\"" "$log" \
        2>/dev/null)
    echo "${count:-0}"
}

# The results of the trace's lookups in order: "miss hit".
lookups() {
    sed -n 's/^{"oclcache":"lookup".*"result":"\([a-z]*\)".*/\1/p' "$log" \
        2>/dev/null | tr '\n' ' ' | sed 's/ $//'
}

# The field $2 of the first trace line of kind $1.
trace_field() {
    grep "^{\"oclcache\":\"$1\"" "$log" 2>/dev/null | head -n 1 |
        jq -r ".$2"
}

entries() {
    find "$1" -name '*.cl_cache' 2>/dev/null | wc -l
}
