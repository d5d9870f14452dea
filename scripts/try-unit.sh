#!/bin/sh
# try-unit.sh [BINARY]: runs packaging/nightporter.service under a systemd of its own and says what it saw. That systemd
# is PID 1 of namespaces of its own over a copy-on-write view of this machine: nothing outside of them is touched or kept.
# Needs root, Linux with overlayfs, and systemd installed (not running).
set -eu
cd "$(dirname "$0")/.."
bin=$(realpath "${1:-bin/nightporter}")
unit=$(realpath packaging/nightporter.service)
[ "$(id -u)" = 0 ] || { echo "try-unit: needs root, for namespaces" >&2; exit 1; }
[ -x /lib/systemd/systemd ] || { echo "try-unit: needs systemd: apt-get install systemd" >&2; exit 1; }
dir=$(mktemp -d)
group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/try-unit.$$
boot=
# shellcheck disable=SC2317 # the trap calls it
gone() {
	[ -z "$boot" ] || kill -KILL "$boot" 2>/dev/null || true
	wait 2>/dev/null || true
	rm -f "$dir/boot" "$dir/inside" "$dir.log"
	rmdir "$dir/m" "$dir" 2>/dev/null || true
	n=0 # what was in it ends a moment later
	until [ ! -d "$group" ] || [ "$n" -ge 50 ]; do
		n=$((n + 1))
		find "$group" -depth -type d -exec rmdir {} \; 2>/dev/null || sleep 0.1
		[ ! -d "$group" ] || sleep 0.1
	done
}
trap gone EXIT
mkdir "$group" "$dir/m"

# The house: a simulated platform, a PMS in a SQLite file, and their configuration.
cat >"$dir/boot" <<'BOOT'
set -eu
echo $$ >"$group/cgroup.procs"
exec unshare --mount --pid --uts --ipc --cgroup --net --fork --kill-child sh -eu "$dir/inside"
BOOT
cat >"$dir/inside" <<'INSIDE'
mount --make-rprivate /
m=$dir/m r=$dir/m/r
mount -t tmpfs tmpfs "$m"
mkdir "$m/up" "$m/work" "$r"
mount -t overlay overlay -o "lowerdir=/,upperdir=$m/up,workdir=$m/work" "$r"
mount -t proc proc "$r/proc"
mount -t sysfs sysfs "$r/sys"
mount -t cgroup2 cgroup2 "$r/sys/fs/cgroup"
mount --rbind /dev "$r/dev"
rm -rf "$r/etc/systemd/system" "$r/etc/nightporter"
mkdir -p "$r/etc/systemd/system/nightporter.service.d" "$r/etc/nightporter" "$r/srv/house"
install -m 755 "$bin" "$r/usr/bin/nightporter"
install -m 644 "$unit" "$r/etc/systemd/system/nightporter.service"
ip link set lo up
cd "$r"; mkdir old; pivot_root . old
mount -t tmpfs tmpfs /run; mount -t tmpfs tmpfs /tmp
umount -l /old

printf '[Unit]\nRequires=systemd-journald.service\n' >/etc/systemd/system/try.target
printf '[Service]\nExecStart=/usr/bin/nightporter simulate --listen 127.0.0.1:8080 --load /srv/house/platform.json\n' \
	>/etc/systemd/system/platform.service
printf '[Service]\nReadWritePaths=/srv/house\nWatchdogSec=6s\nRestartSec=1s\n' >/etc/systemd/system/nightporter.service.d/try.conf
/usr/bin/nightporter demo --dir /srv/house >/run/demo.log 2>&1 || { cat /run/demo.log; exit 1; }
sed -e 's|base_url: [^ ]*|base_url: http://127.0.0.1:8080|' -e 's|file:platform.key|file:/etc/nightporter/platform.key|' \
	-e 's|address: pms.db|address: /srv/house/pms.db|' -e "s|^settle:|state: /var/lib/nightporter/nightporter.db\n&|" \
	-e 's|^    answer_within: 5m|&\n    when: { platform: every 1m, pms: every 1m, full: "03:30" }|' \
	/srv/house/nightporter.yaml >/etc/nightporter/nightporter.yaml
printf simulator-key >/etc/nightporter/platform.key
useradd --system --home-dir /var/lib/nightporter --shell /usr/sbin/nologin nightporter
install -d -o nightporter -g nightporter -m 700 /var/lib/nightporter
cp /srv/house/nightporter.db* /var/lib/nightporter/
chown -R nightporter: /etc/nightporter /srv/house /var/lib/nightporter
chmod 600 /etc/nightporter/platform.key
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --unit=try.target --show-status=no
INSIDE
export dir group bin unit
sh "$dir/boot" >"$dir.log" 2>&1 </dev/null &
boot=$!

# pid is the systemd inside: the child of unshare.
n=0
until pid=$(pgrep -P "$boot" -f 'systemd --system --unit=try.target') && nsenter -t "$pid" -a systemctl is-active -q try.target 2>/dev/null; do
	n=$((n + 1))
	[ $n -lt 120 ] || { echo "try-unit: systemd did not come up; it said:" >&2; cat "$dir.log" >&2; exit 1; }
	kill -0 "$boot" 2>/dev/null || { cat "$dir.log" >&2; boot=; exit 1; }
	sleep 0.5
done
within() { nsenter -t "$pid" -a "$@"; }
show() { within systemctl show nightporter -P "$1"; }
bad=0
want() { # want WHAT GOT WANTED-PATTERN
	# shellcheck disable=SC2254 # it is a pattern
	case $2 in $3) echo "ok    $1: $2" ;; *) echo "WRONG $1: $2, want $3"; bad=1 ;; esac
}
until_is() { # until_is PROPERTY VALUE SECONDS
	n=0
	until [ "$(show "$1")" = "$2" ] || [ $n -ge $(($3 * 5)) ]; do n=$((n + 1)); sleep 0.2; done
}

within systemctl start platform
within systemctl start nightporter || true
want "after start" "$(show ActiveState), $(show SubState), $(show StatusText)" "active, running, jobs run*"
want "user" "$(within ps -o user= -p "$(show MainPID)")" "nightporter"
within systemctl reload nightporter
until_is ActiveState active 10
sleep 1
want "reload" "$(show StatusText)" "jobs run; reloaded at *"
within sed -i 's/^time_zone: .*/time_zone: Nowhere/' /etc/nightporter/nightporter.yaml
within systemctl reload nightporter
sleep 1
want "reload of a mistake" "$(show ActiveState), $(show StatusText)" "active, jobs run; the last reload was refused*"
within sed -i 's/^time_zone: .*/time_zone: Europe\/Rome/' /etc/nightporter/nightporter.yaml
runs() { within runuser -u nightporter -- nightporter runs --json | grep -c '"run":'; }
before=$(runs) n=0
until [ "$(runs)" -gt "$before" ] || [ $n -ge 90 ]; do n=$((n + 1)); sleep 1; done
want "runs by its cadence" "$(($(runs) > before))" 1
want "for longer than the watchdog's time" "$(show NRestarts) restarts" "0 restarts"
old=$(show MainPID)
within kill -STOP "$old"
until_is NRestarts 1 30
until_is ActiveState active 30
want "stopped by SIGSTOP" "$(show NRestarts) restarts, $(show ActiveState), $(show StatusText)" "1 restarts, active, jobs run"
want "why" "$(within journalctl -u nightporter -o cat | grep -c "Failed with result 'watchdog'")" 1
within kill -KILL "$(show MainPID)"
until_is NRestarts 2 30
until_is ActiveState active 30
want "killed" "$(show NRestarts) restarts, $(show ActiveState)" "2 restarts, active"
begun=$(date +%s)
within systemctl stop nightporter
want "stop" "$(show ActiveState), $(show Result), status $(show ExecMainStatus), $(($(date +%s) - begun)) s" "inactive, success, status 0, [0-9] s"
echo "its log:"
within journalctl -u nightporter -o cat --no-pager | cut -c1-200 | grep -v '^\(goroutine\|\t\|$\)' | grep '^{\|systemd\|Failed\|tarted\|topp' | sed 's/^/  /' | head -40
exit $bad
