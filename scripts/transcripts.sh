#!/bin/sh
# transcripts.sh OLD N: plays seeds 1 to N with the engine of the commit OLD and with the one of this
# working tree, and shows where their transcripts differ. TEXT=1 compares what is said to persons, too.
# The transcripts stay in KEEP (a new folder of TMPDIR). Ends with 1 where any differ.
set -eu
old=$1 n=$2
root=$(git rev-parse --show-toplevel)
keep=${KEEP:-$(mktemp -d "${TMPDIR:-/tmp}/nightporter-transcripts-XXXXXX")}
tree=$keep/tree
mkdir -p "$keep/old" "$keep/new"
git worktree add --quiet --force --detach "$tree" "$old"
trap 'git -C "$root" worktree remove --force "$tree"' EXIT

play() { # ROOT NAME
	(cd "$1/internal/histories" && go test -c -o "$keep/$2.test" . &&
		GOGC=800 GOMAXPROCS=1 NIGHTPORTER_TRANSCRIPT="$keep/$2" NIGHTPORTER_HISTORIES="$n" "$keep/$2.test" -test.run '^TestTranscript$' -test.timeout 120m >"$keep/$2.log") ||
		{ echo "the histories of $2 did not play to their end: $keep/$2.log" >&2; return 1; }
}
play "$tree" old &
first=$!
play "$root" new
wait $first

bare() { if [ -n "${TEXT:-}" ]; then cat "$1"; else sed 's/	# .*//' "$1"; fi; }
same=0 other=0
for f in "$keep"/old/*.txt; do
	seed=$(basename "$f")
	bare "$f" >"$keep/a" && bare "$keep/new/$seed" >"$keep/b"
	if cmp -s "$keep/a" "$keep/b"; then
		same=$((same + 1))
		continue
	fi
	other=$((other + 1))
	if [ $other -le "${SHOW:-3}" ]; then
		echo "== seed ${seed%.txt}: the first difference"
		diff -U 6 "$keep/a" "$keep/b" | sed -n '3,24p' | cut -c1-300
	fi
done
echo "$same histories are the same, $other differ; all are in $keep"
test $other -eq 0
