#!/bin/sh
# Tab completion as people see it: types into a bash in tmux and shows the screen. Needs a build, tmux, bash, and KUBECONFIG.
# Ends with 1 when something that was typed was not completed.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
bin=$(mktemp -d)
printf '#!/bin/sh\nexec node "%s/dist/bin/orchctl.js" "$@"\n' "$root" >"$bin/orchctl"
chmod +x "$bin/orchctl"
session=orchctl-$$
missing=0
finish() {
  tmux kill-session -t "$session" 2>/dev/null
  rm -rf "$bin"
}
trap finish EXIT

tmux new-session -d -s "$session" -x 100 -y 30 "PATH='$bin:$PATH' PS1='> ' bash --norc --noprofile"
screen() { tmux capture-pane -p -t "$session" | sed '/^$/d'; }
# What is typed, and what must appear within five seconds.
expect_after() {
  tmux send-keys -t "$session" "$1"
  tries=50
  while [ "$tries" -gt 0 ]; do
    screen | grep -qF -- "$2" && break
    tries=$((tries - 1))
    sleep 0.1
  done
  if [ "$tries" -gt 0 ]; then echo "ok: $2"; else
    echo "MISSING: $2"
    missing=1
  fi
  tmux send-keys -t "$session" C-u
}

tmux send-keys -t "$session" 'source <(orchctl completion bash); echo sour''ced' Enter
expect_after '' 'sourced'
printf -- '- a command, a type, a name, a flag, a namespace, one word of two\n'
expect_after "orchctl descr$(printf '\t')" 'orchctl describe'
expect_after "orchctl get configm$(printf '\t')" 'orchctl get configmaps'
expect_after "orchctl get namespace def$(printf '\t')" 'orchctl get namespace default'
expect_after "orchctl get pods --all-n$(printf '\t')" 'orchctl get pods --all-namespaces'
expect_after "orchctl get pods -n def$(printf '\t')" 'orchctl get pods -n default'
expect_after "orchctl rollout res$(printf '\t\t')" 'restart  resume'
screen
exit "$missing"
