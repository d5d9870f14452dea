#!/usr/bin/env bash
# Installs the servers that tests start for themselves: PostgreSQL. On Debian
# and its kin only; the package's own service is never started.
set -euo pipefail
cd "$(dirname "$0")/.."

if bin=$(scripts/pgbin.sh); then
	echo "PostgreSQL is here: $("$bin/postgres" --version)"
	exit 0
fi
if ! command -v apt-get >/dev/null; then
	echo "make deps-test: knows Debian only; install PostgreSQL 13 or newer and put its initdb and postgres in PATH" >&2
	exit 1
fi
as_root=()
if [ "$(id -u)" != 0 ]; then
	if ! command -v sudo >/dev/null || ! { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
		echo "make deps-test: needs root or sudo to install a package; have an administrator run: apt-get install postgresql" >&2
		exit 1
	fi
	as_root=(sudo)
fi

# A machine without a say on which services a package may start gets one for
# the time of the install: none.
policy=/usr/sbin/policy-rc.d
forget_policy() { :; }
if [ ! -e "$policy" ]; then
	forget_policy() { "${as_root[@]}" rm -f "$policy"; }
	trap forget_policy EXIT
	printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
	"${as_root[@]}" chmod 755 "$policy"
fi

install() {
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
		install -y --no-install-recommends postgresql </dev/null
}
install || { "${as_root[@]}" apt-get update && install; }
echo "installed $("$(scripts/pgbin.sh)/postgres" --version)"
