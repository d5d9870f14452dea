#!/bin/sh
# Says in one line what to install or set when Go, a folder for it to work in, or a
# C compiler is missing, before anything is built. Silent when all are there.
set -eu
cd "$(dirname "$0")/.."
want=$(sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' go.mod)

lacks_go() {
	echo "nightporter needs Go $want or newer$1: https://go.dev/dl" >&2
	exit 1
}

command -v go >/dev/null 2>&1 || lacks_go ''
# An older Go fetches the newer one that go.mod asks for by itself, where it is let.
have=$(go env GOVERSION 2>/dev/null) || have=''
[ -n "$have" ] || lacks_go " ($(GOTOOLCHAIN=local go version 2>/dev/null | cut -d' ' -f3) is here and fetched no newer one)"
echo "$have $want" | sed 's/^go//' | awk '{
	split($1, h, /[^0-9]+/); split($2, w, /[^0-9]+/)
	exit !(h[1] > w[1] || h[1] == w[1] && h[2] >= w[2])
}' || lacks_go " ($have is here)"

if [ -z "$(go env GOMODCACHE)" ] || [ "$(go env GOCACHE)" = off ]; then
	echo "nightporter needs HOME to be set (or GOPATH and GOCACHE): Go keeps there what it fetches and builds" >&2
	exit 1
fi

cc=$(go env CC)
# Unquoted: CC may carry arguments, as in "ccache gcc". The header tells a compiler without its C library.
# shellcheck disable=SC2086
if ! printf '#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n' | $cc -x c -o /dev/null - >/dev/null 2>&1; then
	echo "nightporter needs a C compiler for SQLite ($cc does not work): apt install gcc libc6-dev (Fedora: dnf install gcc; macOS: xcode-select --install)" >&2
	exit 1
fi
