# shellcheck shell=bash
# A fresh Debian in a directory, for tests that need a machine of their own. Source
# it behind lib.sh.
#
#	no_debian MEGABYTES	says why none can be made here; fails where one can
#	make_debian TREE [RELEASE]	debootstrap's smallest; of this machine's release,
#				or another from the same mirror
#	inside TREE COMMAND...	in it, as root, with /proc, /sys and /dev, but
#				none of this machine's environment, and no input;
#				for `limit` seconds at most, its HOME $home; where
#				$checkout is set, that directory is at /mnt
#	installs TREE PACKAGE...
#
# What the package manager needs to reach its archive is this machine's. What it
# downloads is kept in $work/downloads for the next tree.
: "${work:?}"

debian_release() {
    sed -n 's/^VERSION_CODENAME=//p' /etc/os-release
}

debian_mirror() {
    # shellcheck disable=SC2016 # apt's own variables
    apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' \
        'Created-By: Packages' 2>/dev/null |
        awk -v release="$(debian_release)" \
            '$1 == release && $2 == "main" { print $3; exit }'
}

no_debian() {
    if [ "$(id -u)" != 0 ]; then
        echo "only root can make a tree of Debian"
    elif ! command -v debootstrap >/dev/null; then
        echo "debootstrap isn't installed (scripts/deps chroot)"
    # What is mounted in a namespace of its own is gone with its last process.
    elif ! unshare --mount true 2>/dev/null; then
        echo "nothing can be mounted here"
    elif [ "$(df --output=avail -m "$work" | tail -n 1)" -lt "$1" ]; then
        echo "trees of Debian need $1 MB in $work"
    elif [ -z "$(debian_mirror)" ]; then
        echo "apt knows no mirror of Debian $(debian_release)"
    else
        return 1
    fi
}

make_debian() {
    local tree=$1
    mkdir -p "$work/downloads/apt/partial" "$work/downloads/pip"
    timeout 400 unshare --mount debootstrap --variant=minbase \
        "${2:-$(debian_release)}" "$tree" "$(debian_mirror)" || return 1
    apt-config dump | grep -iE '^Acquire::[a-z]+::(proxy|verify|cainfo)' \
        >"$tree/etc/apt/apt.conf.d/90test"
    cat >>"$tree/etc/apt/apt.conf.d/90test" <<'END'
APT::Get::Assume-Yes "true";
APT::Keep-Downloaded-Packages "true";
DPkg::Options { "--force-unsafe-io"; };
END
    echo 'path-exclude=/usr/share/locale/*' >"$tree/etc/dpkg/dpkg.cfg.d/90test"
    [ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$tree/etc"
}

inside() {
    local tree=$1 name
    local -a environment=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
        "HOME=${home:-/root}" TERM=dumb
        DEBIAN_FRONTEND=noninteractive PIP_CACHE_DIR=/var/cache/pip)
    shift
    for name in http_proxy https_proxy no_proxy PIP_CERT PIP_INDEX_URL \
        SSL_CERT_FILE; do
        [ -z "${!name-}" ] || environment+=("$name=${!name}")
    done
    mkdir -p "$tree/var/cache/pip"
    # shellcheck disable=SC2016 # the inner shell's
    timeout "${limit:-120}" unshare --mount --pid --fork --kill-child sh -c '
        # As any machine has it, its root is a mount of its own.
        mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount --bind /sys "$1/sys" &&
            mount --rbind /dev "$1/dev" &&
            mount --bind "$2/apt" "$1/var/cache/apt/archives" &&
            mount --bind "$2/pip" "$1/var/cache/pip" || exit
        # What scripts/opencl-env writes of drivers there is not for here.
        [ -z "$3" ] || { mount --bind "$3" "$1/mnt" &&
            mkdir -p "$1/mnt/build/icd" &&
            mount -t tmpfs tmpfs "$1/mnt/build/icd"; } || exit
        tree=$1
        shift 3
        exec env -i "$@"' sh "$tree" "$work/downloads" \
        "${checkout-}" \
        "${environment[@]}" chroot "$tree" "$@" </dev/null
}

installs() {
    local tree=$1
    shift
    limit=400 inside "$tree" apt-get install --no-install-recommends "$@"
}
