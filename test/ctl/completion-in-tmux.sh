#!/bin/sh
# Tab completion as people see it: types into a shell in tmux and looks at the screen: test/ctl/completion-in-tmux.sh [bash|zsh|fish]
# Needs a build, tmux, the shell, and KUBECONFIG. Ends with 1 when something that was typed was not completed.
set -u
shell=${1:-bash}
root=$(cd "$(dirname "$0")/../.." && pwd)
bin=$(mktemp -d)
printf '#!/bin/sh\nexec node "%s/dist/bin/orchctl.js" "$@"\n' "$root" >"$bin/orchctl"
chmod +x "$bin/orchctl"
touch "$bin/manifest.yaml"
session=orchctl-$$
missing=0
finish() {
  tmux kill-session -t "$session" 2>/dev/null
  rm -rf "$bin"
}
trap finish EXIT

case $shell in
bash) command='bash --norc --noprofile' source='source <(orchctl completion bash)' ;;
zsh) command='zsh -f' source='source <(orchctl completion zsh)' ;;
fish) command="fish --private --no-config" source='orchctl completion fish | source' ;;
*) echo "no such shell: $shell" >&2 && exit 1 ;;
esac
tmux new-session -d -s "$session" -x 110 -y 40 "cd '$bin'; HOME='$bin' KUBECONFIG='$KUBECONFIG' PATH='$bin:$PATH' PS1='> ' $command"
screen() { tmux capture-pane -p -t "$session" | sed '/^$/d'; }
# What is typed, and what must appear within ten seconds.
expect_after() {
  tmux send-keys -t "$session" "$1"
  tries=100
  while [ "$tries" -gt 0 ]; do
    screen | grep -qE -- "$2" && break
    tries=$((tries - 1))
    sleep 0.1
  done
  if [ "$tries" -gt 0 ]; then echo "ok: $2"; else
    echo "MISSING: $2"
    screen
    missing=1
  fi
  # Keys that come while the line is being completed are lost.
  while
    tmux send-keys -t "$session" C-c
    sleep 0.2
    tmux send-keys -t "$session" C-l
    sleep 0.2
    screen | grep -qE -- "$2|orchctl"
  do :; done
}
tab=$(printf '\t')

# The shell is there when it answers, and has read the script when it answers again.
sleep 1
expect_after 'echo he''re' 'here'
tmux send-keys -t "$session" "$source" Enter
tmux send-keys -t "$session" 'echo sour''ced' Enter
expect_after '' '^sourced'
expect_after "orchctl descr$tab" 'orchctl describe'
expect_after "orchctl rollout res$tab$tab" '\bresume\b'
expect_after "orchctl get configm$tab" 'orchctl get configmaps'
expect_after "orchctl get pods,configm$tab" 'orchctl get pods,configmaps'
expect_after "orchctl get namespace def$tab" 'orchctl get namespace default'
expect_after "orchctl get namespace/def$tab" 'orchctl get namespace/default'
expect_after "orchctl get clusterrole system:aggre$tab" 'orchctl get clusterrole system:aggregate-to-'
expect_after "orchctl get clusterrole system:aggregate-to-v$tab" 'orchctl get clusterrole system:aggregate-to-view'
expect_after "orchctl -n kube-system get configmap extension-api$tab" 'get configmap extension-apiserver-authentication'
expect_after "orchctl get pods --all-n$tab" 'orchctl get pods --all-namespaces'
expect_after "orchctl get pods -n def$tab" 'orchctl get pods -n default'
expect_after "orchctl get pods --namespace=def$tab" 'orchctl get pods --namespace=default'
expect_after "orchctl get pods --context kube$tab" 'orchctl get pods --context kubernetes-admin@kubernetes'
expect_after "orchctl config use-context kube$tab" 'use-context kubernetes-admin@kubernetes'
expect_after "orchctl get pods -o jsonpath-a$tab" 'get pods -o jsonpath-as-json='
expect_after "orchctl apply -f mani$tab" 'orchctl apply -f manifest.yaml'
exit "$missing"
