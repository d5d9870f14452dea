#!/bin/sh
# Prints the path of golangci-lint at the version this project is linted with,
# and builds it into ./bin first where neither that nor PATH has it.
set -eu
cd "$(dirname "$0")/.."
version=2.15.0

for lint in "$PWD/bin/golangci-lint" "$(command -v golangci-lint || true)"; do
	if [ -x "$lint" ] && "$lint" version 2>/dev/null | grep -q "version v\{0,1\}$version "; then
		echo "$lint"
		exit 0
	fi
done
echo "building golangci-lint $version into bin (about a minute)" >&2
GOFLAGS='' GOBIN="$PWD/bin" go install "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$version" >&2
echo "$PWD/bin/golangci-lint"
