#!/bin/sh
# gen.sh TREE: makes the rooms of sync/engine in another checkout of this commit, from the list in rooms.txt, and
# builds them from below to above. The tests inside of package engine are to be moved by hand.
set -eu
tree=$1
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cd "$root"
bin=$(mktemp)
go build -o "$bin" ./internal/split
find "$tree/sync/engine" -name '*.go' ! -name '*_test.go' -delete
"$bin" "$here/rooms.txt" generate "$tree/sync"
cd "$tree"
for p in run findings trust observe refer match proof guards trials settle links gone door decide takeback engine; do
	go build -gcflags=-e "./sync/$p"
done
