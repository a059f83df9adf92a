# shellcheck shell=bash
# What scripts/package, scripts/rpm and scripts/wheel share: source it at the top of
# the tree, with the directory of what is built in $out.

version=$(sed -n 's/^#define OCC_VERSION *"\(.*\)"/\1/p' cache/version.h)

fail() {
    echo "${0#"$PWD/"}: $*" >&2
    exit 1
}

# The paths of the tree, each with a zero byte behind it. A directory that isn't
# under version control, such as of a released archive, is taken whole.
tree() {
    local path
    if git ls-files --error-unmatch Makefile >/dev/null 2>&1; then
        git ls-files -z | while IFS= read -r -d '' path; do
            [ ! -e "$path" ] || printf '%s\0' "$path"
        done
    else
        find . -path ./build -prune -o -path ./.git -prune -o \
            -path ./config.mak -prune -o ! -type d -printf '%P\0'
    fi
}

# copy_tree DIRECTORY
copy_tree() {
    mkdir -p "$1"
    tree | tar -c --null --no-recursion -T - | tar -x -C "$1"
}

# What the caller's make and environment say isn't for a package's build.
forget_make() {
    unset MAKEFLAGS MAKELEVEL MFLAGS CC CFLAGS CPPFLAGS LDFLAGS \
        DESTDIR PREFIX LIBDIR ZSHDIR BUILD WERROR SANITIZE VARIANT
}

# quietly COMMAND...: its output is shown only if it fails.
quietly() {
    local log=$out/${1##*/}.log
    "$@" >"$log" 2>&1 || {
        tail -n 30 "$log" >&2
        fail "${1##*/} failed; the whole log: ${log#"$PWD/"}"
    }
}
