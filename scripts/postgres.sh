#!/usr/bin/env bash
# A small hotel management system on a PostgreSQL of its own, to play with:
#
#   scripts/postgres.sh start DIR [PORT]   make it in DIR, or start it again (port 45432)
#   scripts/postgres.sh seed  DIR N        N invented guests, half as many stays
#   scripts/postgres.sh psql  DIR [ARGS]   look inside
#   scripts/postgres.sh stop  DIR          stop it; deleting DIR deletes it
#
# It listens on 127.0.0.1 only. User, password and database are "pms".
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
schema=$here/../internal/pgtest

die() {
	echo "postgres.sh: $*" >&2
	exit 1
}
usage() {
	sed -n 's/^#   //p' "${BASH_SOURCE[0]}" >&2
	exit 2
}
# PostgreSQL refuses to run as root, so root lends it the account that its package made.
as_owner() {
	if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi
}
client() {
	PGPASSWORD=pms psql -X -q -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$(cat "$dir/port")" -U pms "$@"
}

make_cluster() {
	mkdir -p "$dir/data"
	echo pms >"$dir/password"
	if [ "$(id -u)" = 0 ]; then
		chmod a+x "$dir"
		chown postgres: "$dir/data" "$dir/password"
	fi
	chmod 700 "$dir/data"
	as_owner test -x "$dir/data" || die "user postgres cannot enter $dir; take a folder outside of /root"
	as_owner "$bin/initdb" -D "$dir/data" -U pms --pwfile="$dir/password" -A scram-sha-256 \
		-E UTF8 --locale=C >"$dir/initdb.log" || die "initdb failed, see $dir/initdb.log"
	rm "$dir/password"
	as_owner tee -a "$dir/data/postgresql.conf" >/dev/null <<-CONF
		listen_addresses = '127.0.0.1'
		unix_socket_directories = ''
	CONF
}

start() {
	bin=$("$here/pgbin.sh") || die "no PostgreSQL server programs here; make deps-test installs them"
	mkdir -p "$dir"
	dir=$(cd "$dir" && pwd)
	[ -s "$dir/data/PG_VERSION" ] || make_cluster
	echo "$1" >"$dir/port"
	as_owner "$bin/pg_ctl" -D "$dir/data" -s -w -o "-p $1" -l "$dir/data/server.log" start </dev/null ||
		die "it did not start, see $dir/data/server.log (is port $1 taken?)"
	# A start that was broken off half-way is made whole here.
	if [ -z "$(client -d postgres -Atc "select 1 from pg_database where datname = 'pms'")" ]; then
		client -d postgres -c 'create database pms'
	fi
	if [ -z "$(client -d pms -Atc "select to_regnamespace('pms')")" ]; then
		client -d pms -1 -f "$schema/pms.sql"
	fi
	echo "postgres://pms:pms@127.0.0.1:$1/pms?sslmode=disable"
}

[ $# -ge 2 ] || usage
dir=$2
case $1 in
start) start "${3:-45432}" ;;
seed)
	[[ ${3:-} =~ ^[0-9]+$ ]] || usage
	client -d pms -v n="$3" -f "$schema/pms_seed.sql"
	;;
psql) client -d pms "${@:3}" ;;
stop)
	bin=$("$here/pgbin.sh") || die "no PostgreSQL server programs here"
	dir=$(cd "$dir" && pwd)
	as_owner "$bin/pg_ctl" -D "$dir/data" -s -m fast stop
	;;
*) usage ;;
esac
