# shellcheck shell=bash
# An update of a driver, as a user has it: what applications build is recorded, the
# driver becomes another one, the record is replayed, and the applications start
# again. Source it behind lib.sh.
#
#	make_applications DIRECTORY	the sources that they build
#	record_on DRIVER	plays them without the layer, and records them
#	same_builds DRIVER OTHER	the records name the same builds
#	not_served DRIVER OTHER	what one stored is nothing for the other
#	update DRIVER OTHER	replays the one's record on the other: all is served
#	update_stale DRIVER OTHER	the same of the one's store
: "${work:?}"

command=$PWD/build/oclcache
builds=build/scripts/bench/builds

make_applications() {
    sources=$1
    mkdir -p "$sources/include" "$sources/kernels"
    cat >"$sources/included.cl" <<'END'
#include "outer.h"
#include "kernels/near.h"
__kernel void k(__global int *out, int x)
{ out[get_global_id(0)] = OUTER * x + NEAR + get_global_id(0); }
END
    printf '#include "inner.h"\n#define OUTER (INNER + 1)\n' \
        >"$sources/include/outer.h"
    echo '#define INNER 6' >"$sources/include/inner.h"
    echo '#define NEAR 100' >"$sources/kernels/near.h"
    hashcat=/usr/share/hashcat/OpenCL
    # Its smallest ones.
    if [ -d $hashcat ] && [ -x $builds ]; then
        for kernel in amp_a3 markov_be; do
            printf '%s/%s.cl\t' $hashcat $kernel
            python3 -c 'import sys
sys.path.insert(0, "tests/closure")
from corpora import hashcat_options
print(hashcat_options(sys.argv[1]))' "$kernel.cl"
        done >"$sources/hashcat"
    fi
}

# run_all HOW DRIVER: the applications, one after the other; what they computed. Not
# the text that a driver has for what it built: of a source it may say more.
run_all() {
    local how=$1 driver=$2 app=$PWD/$programs/app
    "$how" "$driver" ocl-icd "$app" -n 2 -o -DN=1 -O "-DN=2 -cl-mad-enable" \
        'text:__kernel void k(__global int *out, int x)
        { out[get_global_id(0)] = N * x + 1; }'
    "$how" "$driver" ocl-icd "$app" 'text:__kernel void k(__global int *out, int x)
        { out[get_global_id(0)] = 3 * x; }'
    "$how" "$driver" ocl-icd "$app" -o "-I$sources/include -I $sources" \
        "$sources/included.cl"
    "$how" "$driver" ocl-icd env -C "$sources" "$app" -o "-Iinclude" included.cl
    "$how" "$driver" ocl-icd "$app" -i "given.h=#define GIVEN 5" \
        'text:#include "given.h"
        __kernel void k(__global int *out, int x)
        { out[get_global_id(0)] = GIVEN * x; }'
    ! takes_il "$driver" || "$how" "$driver" ocl-icd "$app" -k scale -c 7=5 il1.0
    [ ! -e "$sources/hashcat" ] || "$how" "$driver" ocl-icd $builds --link \
        "$sources/hashcat" | sed 's/, "ms".*//'
    # What it keeps in its own cache it doesn't build.
    ! has_pyopencl || PYOPENCL_NO_CACHE=1 "$how" "$driver" ocl-icd \
        /usr/bin/python3 -W ignore scripts/demo_pyopencl.py |
        jq -c .device
}

takes_il() {
    [[ $1 == intel* ]]
}

has_pyopencl() {
    /usr/bin/python3 -c 'import pyopencl' 2>/dev/null
}

recording() {
    OCLCACHE_RECORD=$database layered "$@"
    grep '"oclcache":"lookup"' "$log" >>"$looked"
}

requiring() {
    OCLCACHE_MODE=require layered "$@"
    grep '"oclcache":' "$log" >>"$looked"
}

record_on() {
    local driver=$1 database=$work/$1.ocldb looked=$work/$1.looked
    run_all bare "$driver" >"$work/$driver.bare" 2>"$work/$driver.err"
    store=$work/$driver.store
    : >"$looked"
    run_all recording "$driver" >"$work/$driver.recorded" 2>"$work/err"
    same "$driver: the same when it is recorded" "$work/$driver.bare" \
        "$work/$driver.recorded"
    check "$driver: there is a record" test -s "$database"
    check "$driver: applications have built something" \
        test "$(grep -c '"result":"miss"' "$looked")" -ge 6
}

same_builds() {
    check "$1 and $2: the same builds are recorded" "$command" database diff \
        "$work/$1.ocldb" "$work/$2.ocldb"
}

# served WHAT DRIVER: from $store alone, and with what that driver computes.
served() {
    local what=$1 driver=$2 looked=$work/looked
    : >"$looked"
    run_all requiring "$driver" >"$work/served" 2>"$work/err"
    same "$what: applications compute what they do without the layer" \
        "$work/$driver.bare" "$work/served"
    equal "$what: nothing is looked up in vain" \
        "$(grep '"oclcache":"lookup"' "$looked" | grep -v '"result":"hit"')" ""
    equal "$what: as much is served as was built" \
        "$(grep -c '"oclcache":"lookup"' "$looked")" \
        "$(grep -c . "$work/$driver.looked")"
    equal "$what: nothing is compiled" "$(grep '"oclcache":"store"' "$looked")" ""
}

not_served() {
    local looked=$work/looked
    store=$work/$1.store
    : >"$looked"
    run_all requiring "$2" >"$work/served" 2>"$work/err"
    equal "$1 to $2: nothing is served before a replay" \
        "$(grep '"oclcache":"lookup"' "$looked" | grep -c '"result":"hit"')" 0
}

# replay WHAT DRIVER ARGUMENT...: as a user has it, into $store.
replay() {
    local what=$1 driver=$2
    shift 2
    if OCLCACHE_DIR=$store limit=300 bare "$driver" ocl-icd "$command" replay "$@" \
        >"$work/replay" 2>&1; then
        pass "$what: $(tail -n 1 "$work/replay")"
    else
        fail "$what: the replay" <"$work/replay"
    fi
}

update() {
    store=$work/updated
    rm -rf "$store"
    replay "$1 to $2" "$2" "$work/$1.ocldb"
    served "$1 to $2" "$2"
}

update_stale() {
    local what="$1 to $2, of the store"
    store=$work/updated
    rm -rf "$store"
    cp -r "$work/$1.store" "$store"
    replay "$what" "$2" --stale
    served "$what" "$2"
    check "$what: what is stale goes" env OCLCACHE_DIR="$store" \
        scripts/opencl-env "$2" ocl-icd "$command" clear --stale
    served "$what, without what was stale" "$2"
}
