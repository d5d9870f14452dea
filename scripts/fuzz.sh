#!/bin/sh
# Runs every fuzz target of the module in turn, each for $1 (30s), and prints a line
# each. What fails one stays in the tree as a file under testdata/fuzz, and is tried
# by every go test from then on. $2 limits it to targets whose name contains it.
set -u
cd "$(dirname "$0")/.."
time=${1:-30s} only=${2:-}
log=$(mktemp) list=$(mktemp)
trap 'rm -f "$log" "$list"' EXIT
grep -rn --include='*_test.go' '^func Fuzz' . | sed 's|^\./\(.*\)/[^/]*:[0-9]*:func \(Fuzz[A-Za-z0-9_]*\)(.*|\1 \2|' | grep "$only" | sort >"$list"
failed=0
while read -r dir name; do
	if go test "./$dir" -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 5s </dev/null >"$log" 2>&1; then
		told=ok
	else
		told=FAILED failed=1
	fi
	tried=$(sed -n 's/.*execs: \([0-9]*\).*/\1/p' "$log" | tail -1)
	[ "$told$tried" != ok ] || told=short # it had no time for more than what is in the tree
	printf '%-6s %-28s %-14s %10s tried\n' "$told" "$dir" "$name" "${tried:-none}"
	[ "$told" = ok ] || sed 's/^/    /' "$log" | grep -v 'fuzz: elapsed' | head -40
done <"$list"
exit $failed
