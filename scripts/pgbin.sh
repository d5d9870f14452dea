#!/bin/sh
# Prints the folder of PostgreSQL's server programs: the one in PATH, else the
# newest that Debian has put aside. Fails silently when there is none.
set -eu
if initdb=$(command -v initdb) && [ -x "$(dirname "$initdb")/postgres" ]; then
	dirname "$initdb"
	exit 0
fi
for dir in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -t/ -k5,5nr); do
	if [ -x "$dir/initdb" ] && [ -x "$dir/postgres" ]; then
		echo "$dir"
		exit 0
	fi
done
exit 1
