#!/usr/bin/env bash
# Runs the Go client of Debian's source package (release 1.20) against the drop-in programs: test/clients/go/run.sh
#
# Needs Debian, its Go compiler, the source package and a build of this package; installs and fetches what is missing.
# The first run takes some minutes and 2 GB in ORCH_GO_CACHE (by default a directory below /tmp); later runs take seconds.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
cache=${ORCH_GO_CACHE:-/tmp/orch-go-client}
mkdir -p "$cache"

if ! command -v go >/dev/null && ! ls /usr/lib/go-*/bin/go >/dev/null 2>&1; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends golang-go
fi
go=$(command -v go || ls /usr/lib/go-*/bin/go | tail -n 1)

# The compiler finds packages in a tree of this layout.
tree=$cache/gopath/src/k8s.io/kubernetes
if [ ! -d "$tree/vendor" ]; then
  mkdir -p "$cache/sources" "$cache/lists/partial" "$cache/source" "$tree"
  for list in /etc/apt/sources.list.d/*.sources; do
    sed 's/^Types:.*/Types: deb-src/' "$list" >"$cache/sources/${list##*/}"
  done
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$list" ] || continue
    grep '^deb ' "$list" | sed 's/^deb /deb-src /' >"$cache/sources/from-${list##*/}" || true
  done
  options=(-o "Dir::Etc::sourcelist=/dev/null" -o "Dir::Etc::sourceparts=$cache/sources"
    -o "Dir::State::Lists=$cache/lists" -o "APT::Sandbox::User=root")
  apt-get "${options[@]}" update -qq || echo 'some lists of sources are not there' >&2
  (cd "$cache/source" && apt-get "${options[@]}" source -qq --download-only kubernetes)
  tar -xzf "$cache"/source/kubernetes_*.orig.tar.gz -C "$tree" --strip-components=1
fi

suite=$tree/cmd/orch-suite
rm -rf "$suite"
mkdir -p "$suite"
cp "$here"/*.go "$suite"
(cd "$tree" && GOPATH="$cache/gopath" GOCACHE="$cache/build" GO111MODULE=off CGO_ENABLED=0 \
  "$go" build -o "$cache/suite" ./cmd/orch-suite)

assets=$(mktemp -d)
trap 'rm -rf "$assets"' EXIT
node "$root/dist/bin/orch.js" envtest-assets "$assets" >/dev/null
"$cache/suite" "$assets"
