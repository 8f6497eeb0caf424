#!/usr/bin/env bash
# Runs Debian's package of the Python client against a server of this package: test/clients/python/run.sh
#
# Needs Debian and a build of this package; installs what is missing. Takes seconds.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)

if ! /usr/bin/python3 -c 'import kubernetes' 2>/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-kubernetes
fi

data=$(mktemp -d)
node "$root/dist/bin/orch.js" server --vocabulary kubernetes --data-dir "$data" --secure-port 0 \
  >"$data/output" 2>"$data/errors" &
server=$!
trap 'kill "$server"; wait "$server" || true; rm -rf "$data"' EXIT
for _ in $(seq 600); do
  grep -q 'is ready' "$data/output" && break
  kill -0 "$server" || { cat "$data/errors" >&2; exit 1; }
  sleep 0.1
done
KUBECONFIG=$data/admin.kubeconfig /usr/bin/python3 "$here/suite.py"
