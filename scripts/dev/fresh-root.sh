#!/usr/bin/env bash
# Builds and tests pfar in a Debian root made for it, with nothing installed before: ./dev run and ./dev test as a newcomer has them.
#   bash scripts/dev/fresh-root.sh bookworm|trixie [COMMAND]
# Needs root. The root is thrown away at the end.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
suite=${1:?which suite: bookworm or trixie}
command=${2:-./dev run && ./dev test}
[ "$(id -u)" = 0 ] || { echo "fresh-root.sh has to be root" >&2; exit 77; }
command -v debootstrap >/dev/null || { apt-get update -q >/dev/null && apt-get install -y -q --no-install-recommends debootstrap >/dev/null; }

# The mirror is the machine's own: whatever apt is set up with here.
. /etc/os-release
uri=$(apt-get indextargets --format '$(REPO_URI)|$(RELEASE)' 'Created-By: Packages' | awk -F'|' -v r="$VERSION_CODENAME" '$2==r{print $1; exit}')
root=$(mktemp -d) && chmod 755 "$root" # apt downloads as a user of its own
clean() { rm -rf --one-file-system "$root"; }
trap clean EXIT

echo "== $suite in $root"
debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$uri" >"$root.log" 2>&1 || { tail "$root.log"; exit 1; }
rm -f "$root.log"
echo "deb $uri $suite main" >"$root/etc/apt/sources.list"
cp -a /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
for f in /etc/resolv.conf /etc/hosts; do if [ -e "$f" ]; then cp -L "$f" "$root$f"; fi; done
if [ -d /usr/local/share/ca-certificates ]; then # a package archive behind a certificate of the machine's own
    mkdir -p "$root/usr/local/share/ca-certificates"
    cp -a /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
    chroot "$root" update-ca-certificates >/dev/null 2>&1 || true
fi
git clone -q . "$root/pfar"

# A real root, not a chroot: in a chroot the kernel refuses user namespaces, and with them every sandbox.
export root command
unshare --mount --pid --fork --kill-child bash -euc '
    mount --make-rprivate / && mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mkdir -p "$root/old" && cd "$root" && pivot_root . old && umount -l /old
    exec env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin CI="${CI:-}" \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} bash -c "cd /pfar && $command"'
echo "== $suite: ok"
