#!/bin/sh
# Installs what is missing to build (and, with `test`, to test) pfar on Debian 12, Debian 13 or Ubuntu 24.04.
#   sh scripts/dev/deps.sh build [test]
# Asks nothing, upgrades nothing, leaves /etc/apt untouched and names no mirror: a package that the system's own release does not have
# comes from another suite of the same archive, through a throw-away apt root, with signatures checked as always.
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
say() { printf '== %s\n' "$*"; }

[ -r /etc/os-release ] || { say "unsupported system: there is no /etc/os-release; pfar builds on Debian 12, Debian 13 and Ubuntu 24.04" >&2; exit 1; }
. /etc/os-release
case "${ID:-}:${VERSION_CODENAME:-}" in
    debian:bookworm) catch=libcatch2-dev,catch2 catch_from=bookworm-backports sol_from="forky sid" comp=main ;;
    debian:trixie | debian:forky | debian:sid) catch=libcatch2-dev catch_from=trixie sol_from="forky sid" comp=main ;;
    ubuntu:noble) catch=catch2 catch_from=resolute sol_from=resolute comp=universe ;;
    *)
        say "unsupported system: ${PRETTY_NAME:-unknown}. pfar builds on Debian 12, Debian 13 and Ubuntu 24.04; elsewhere install g++ 12 or later, cmake 3.25," \
            "ninja, Boost 1.81 (with JSON), spdlog, toml++, Catch2 3.3, libsodium, libidn2, RE2, Lua 5.4, sol2, libseccomp, libcurl, OpenSSL and bubblewrap, then run cmake --preset dev" >&2
        exit 1
        ;;
esac

SUDO=
if [ "$(id -u)" != 0 ]; then SUDO="sudo -n"; fi
as_root() { # says what to do when there is no way to become root
    if [ -n "$SUDO" ] && ! sudo -n true 2>/dev/null; then
        command -v sudo >/dev/null || { say "packages are missing and there is no sudo; as root run: sh scripts/dev/deps.sh build test" >&2; exit 1; }
        SUDO=sudo # it may ask for a password on the terminal
    fi
    $SUDO env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"
}

have() { # have PACKAGE MINIMUM: installed and new enough?
    state=$(dpkg-query -W -f='${db:Status-Abbrev}|${Version}' "$1" 2>/dev/null) || return 1
    case $state in ii*) dpkg --compare-versions "${state#*|}" ge "$2" ;; *) return 1 ;; esac
}
candidate() { apt-cache policy "$1" 2>/dev/null | awk '/Candidate:/{print $2}'; }
offered() { c=$(candidate "$1") && [ -n "$c" ] && [ "$c" != "(none)" ] && dpkg --compare-versions "$c" ge "$2"; }
updated=
update() { [ -n "$updated" ] || { say "reading the package lists"; as_root apt-get update -q >/dev/null; updated=yes; }; }

install() { # only what is missing; installed packages stay as they are
    missing=
    for p in "$@"; do have "$p" 0 || missing="$missing $p"; done
    [ -n "$missing" ] || return 0
    update
    say "installing:$missing"
    # shellcheck disable=SC2086
    as_root apt-get install -y -q --no-install-recommends --no-upgrade -o Dpkg::Use-Pty=0 $missing >/dev/null
}

foreign() { # foreign PACKAGE[,PACKAGE...] MINIMUM COMPONENT SUITE...: from another suite of the same archive
    pkg=$(echo "$1" | tr , ' ') min=$2 comp_=$3
    shift 3
    uri=$(apt-get indextargets --format '$(REPO_URI)|$(RELEASE)' 'Created-By: Packages' | awk -F'|' -v r="$VERSION_CODENAME" '$2==r{print $1; exit}')
    [ -n "$uri" ] || { say "no configured package source for $VERSION_CODENAME" >&2; return 1; }
    key=/usr/share/keyrings/$ID-archive-keyring.gpg
    if [ -r "$key" ]; then key="[signed-by=$key] "; else key=; fi
    for suite in "$@"; do
        root=$(mktemp -d) && chmod 755 "$root"
        mkdir -p "$root/lists/partial" "$root/cache/archives/partial" "$root/deb"
        echo "deb ${key}$uri $suite $comp_" >"$root/sources.list"
        set -- -q -o Dir::Etc::SourceList="$root/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::Preferences=/dev/null \
            -o Dir::Etc::PreferencesParts=/dev/null -o Dir::State::Lists="$root/lists" -o Dir::Cache="$root/cache" -o APT::Sandbox::User=root \
            -o Acquire::Languages=none -o APT::Default-Release=
        # shellcheck disable=SC2086
        if as_root apt-get "$@" update >"$root/log" 2>&1 && (cd "$root/deb" && as_root apt-get "$@" download $pkg >>"$root/log" 2>&1); then
            set -- "$root"/deb/*.deb
            ver=$(dpkg-deb -f "$1" Version)
            if dpkg --compare-versions "$ver" ge "$min"; then
                say "installing: $pkg $ver from $suite"
                as_root apt-get install -y -q --no-install-recommends -o Dpkg::Use-Pty=0 -o APT::Sandbox::User=root "$@" >/dev/null &&
                    { as_root rm -rf "$root"; return 0; }
            fi
        fi
        say "$pkg cannot be had from $suite" >&2
        tail -3 "$root/log" >&2
        as_root rm -rf "$root"
    done
    return 1
}

need() { # need PACKAGE[,PACKAGE...] MINIMUM COMPONENT SUITE...: installed, else from the own release, else from another suite
    first=${1%%,*}
    if have "$first" "$2"; then return 0; fi
    update
    if offered "$first" "$2"; then install "$first"; else foreign "$@"; fi
}

boost=
for v in 1.83 1.81; do if [ -z "$boost" ] && have "libboost-json$v-dev" 0; then boost=$v; fi; done
if [ -z "$boost" ]; then
    update
    for v in 1.83 1.81; do if [ -z "$boost" ] && offered "libboost$v-dev" 0; then boost=$v; fi; done
    [ -n "$boost" ] || { say "no Boost 1.81 or later in the configured package sources" >&2; exit 1; }
fi

for part in "$@"; do
    case $part in
        build)
            # Catch2 first: on bookworm libspdlog-dev depends on "catch2" and would otherwise bring version 2.
            install ca-certificates g++ cmake ninja-build pkg-config ccache liblua5.4-dev
            need "$catch" 3.3 $comp $catch_from
            # shellcheck disable=SC2086
            need sol2-dev 3.5 $comp $sol_from
            install "libboost$boost-dev" "libboost-json$boost-dev" libtomlplusplus-dev libspdlog-dev libfmt-dev libsodium-dev libidn2-dev libre2-dev libssl-dev libseccomp-dev libcurl4-openssl-dev bubblewrap
            ;;
        test)
            install git bash zsh fish bsdutils util-linux clang python3 curl openssl redis-tools
            # Real servers are tried under the sandbox. A node that came from elsewhere will do.
            if ! command -v npm >/dev/null || ! command -v node >/dev/null; then install nodejs npm; fi
            # The owner's page is tried in a real browser, where the archive has one.
            for p in clang-format-14 clang-tidy-14 chromium; do
                if ! have $p 0; then
                    update
                    if offered $p 0; then install $p; fi
                fi
            done
            # The fuzzers' runtime is a package of its own, by clang's version.
            install "libclang-rt-$(clang --version | sed -n 's/.*clang version \([0-9]*\).*/\1/p')-dev"
            ;;
        *) say "deps.sh: what is $part? build or test" >&2 && exit 64 ;;
    esac
done
