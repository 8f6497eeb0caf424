/** More invocations, on what those of `rows.fixture.ts` leave behind; see there. */

/** Files that rows name, in the working folder. */
export const MORE_FILES: Readonly<Record<string, string>> = {
  'pair.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: p1, labels: {set: pair}}
data: {a: "1"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: p2, labels: {set: pair}}
data: {a: "1"}
`,
  'half.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: p1, labels: {set: pair}}
data: {a: "2"}
`,
  'pod.yaml': `apiVersion: v1
kind: Pod
metadata: {name: lone, labels: {app: lone}}
spec: {nodeName: worker, containers: [{name: c, image: busybox, ports: [{containerPort: 80}]}, {name: d, image: busybox}]}
`,
  'dep.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: front}
spec:
  replicas: 1
  selector: {matchLabels: {app: front}}
  template:
    metadata: {labels: {app: front}}
    spec: {containers: [{name: nginx, image: "nginx:1"}, {name: side, image: "side:1"}]}
`,
  'two-roles.yaml': `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: made, namespace: more}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: made, namespace: more}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: made}
subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: ann}]
`,
  'more-role.yaml': `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: made, namespace: more}
rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]
`,
  'patch.yaml': 'data: {from: file}\n',
  'other-config': `apiVersion: v1
kind: Config
clusters: [{name: far, cluster: {server: "https://far.example:6443"}}]
users: [{name: far-user, user: {token: abc}}]
contexts: [{name: far, context: {cluster: far, user: far-user, namespace: away}}]
current-context: far
`,
  'vars.env': 'A=1\nB=two words\n# no\nC=\n',
}

export const MORE_ROWS: readonly string[] = String.raw`
create ns more
config set-context --current --namespace=more
create cm e1 --from-literal=a=1 --from-literal=b=2
EDITOR=sed\ -i\ s/b:/z:/ edit cm e1
get cm e1 -o jsonpath={.data}
EDITOR=true edit cm e1
EDITOR=false edit cm e1
EDITOR=sed\ -i\ s/z:/y:/ edit cm/e1 -o yaml --output-patch
EDITOR=sed\ -i\ s/y:/x:/ edit cm e1 --output-patch
EDITOR=sed\ -i\ s/x:/w:/ edit cm e1 -o name
EDITOR=true edit -f pair.yaml
apply -f pair.yaml
apply -f half.yaml --prune -l set=pair --prune-whitelist=core/v1/ConfigMap
apply -f half.yaml --prune
apply -f half.yaml --prune -l set=pair --prune-whitelist=foo
apply -f half.yaml --dry-run=foo
apply -f half.yaml --server-side --dry-run=client
apply -f half.yaml --force-conflicts
apply -f half.yaml -o yaml --server-side --force-conflicts
apply -f half.yaml --server-side --field-manager=other
apply set-last-applied -f half.yaml
apply set-last-applied -f pair.yaml --create-annotation
apply view-last-applied cm/p1 -o json
apply view-last-applied -f half.yaml
diff -f half.yaml
diff -f none.yaml
diff
create -f dep.yaml
rollout history deploy/front
set image deploy/front nginx=nginx:3 side=side:3
set image deploy/front *=same:1 --dry-run=server -o name
set image -f dep.yaml nginx=local:1 --local -o jsonpath={.spec.template.spec.containers[0].image}
set image deploy front nginx=
set image deploy/front
set image deploy --all nginx=nginx:3
rollout history deploy/front
rollout history deploy/front --revision=1
rollout history deploy/front --revision=9
rollout history cm/e1
rollout undo deploy/front --to-revision=1
rollout undo deploy/front --to-revision=9
rollout undo deploy/front --dry-run=server
rollout undo deploy/front --dry-run=client
rollout undo deploy/nope
rollout undo cm/e1
rollout status deploy/front --timeout=100ms
rollout status deploy front --revision=9 --watch=false
rollout restart cm/e1
rollout pause cm/e1
rollout resume deploy/front
rollout restart deploy
rollout restart deploy -l app=none
set env deploy/front --from=cm/e1 --prefix=P_
set env deploy/front --list
set env deploy/front --list --resolve
set env deploy/front -c side X=1
set env deploy/front -c none X=1
set env deploy/front X=1 X-
set env deploy/front
set env deploy/front --from=foo/bar
set env deploy/front --env=Q=2 -o jsonpath={.spec.template.spec.containers[0].env[*].name}
set env deploy/nope A=1
set resources deploy/front -c nginx --limits=cpu=200m,memory=512Mi --requests=cpu=100m
set resources deploy/front
set resources deploy/front --limits=cpu=abc
set resources deploy/front -c none --limits=cpu=1
set resources deploy/front --limits=cpu=0 --dry-run=client
set selector svc nope a=b
set serviceaccount deploy front robot --dry-run=client -o jsonpath={.spec.template.spec.serviceAccountName}
set serviceaccount deploy front
set subject rolebinding nope --user=a
create rolebinding rb1 --clusterrole=view --user=ann
set subject rolebinding rb1 --user=bob --serviceaccount=more:robot
set subject rolebinding rb1 --user=bob
set subject rolebinding rb1
set subject rolebinding rb1 --serviceaccount=bad
set foo
expose deploy front --port=80 --type=NodePort --name=np --dry-run=client -o jsonpath={.spec}
expose deploy front --port=80 --type=ExternalName --external-name=a.b --dry-run=client -o yaml
expose deploy front --port=80 --type=Foo --dry-run=client
expose deploy front --port=80 --protocol=UDP --target-port=http --session-affinity=ClientIP --name=u
expose svc u --port=81 --name=u2 --dry-run=client -o jsonpath={.spec.selector}
expose svc u --name=u3 --dry-run=client -o jsonpath={.spec.ports}
expose cm e1 --port=80
expose deploy front --port=80 --cluster-ip=None --name=headless --selector=x=y -l k=v -o jsonpath={.metadata.labels}{.spec.clusterIP}
expose -f dep.yaml --port=80 --dry-run=client -o name
expose deploy front --port=80 --name=Bad_Name
set selector svc u q=r
set selector svc u q=r --dry-run=client -o jsonpath={.spec.selector}
autoscale deploy front --max=3 --name=h1
autoscale deploy front --max=1 --min=2 --dry-run=client
autoscale deploy front --max=3 --name=h1
autoscale cm e1 --max=3
autoscale deploy front --max=0
scale deploy front u --replicas=1
scale --replicas=1 -f dep.yaml
scale deploy --all --replicas=1
scale cm e1 --replicas=1
scale deploy front --replicas=1 --dry-run=client -o name
create cronjob cj --image=busybox --schedule=@daily -- date
create job manual --from=cronjob/cj
create job manual --from=cronjob/cj
create job j2 --from=cronjob/nope
create job j2 --image=a --from=cronjob/cj
create job j2
create sa robot
create token nope
create token robot --duration=5m --audience=a -o jsonpath={.kind}
create token robot --duration=-5m
create token robot --bound-object-kind=Foo --bound-object-name=x
create token robot --bound-object-name=x
create token
create secret docker-registry d1 --docker-username=u --docker-password=p --docker-email=e --dry-run=client -o yaml
create secret docker-registry d1
create secret tls t1 --cert=none --key=none
create secret tls t1
create secret generic e2 --from-env-file=vars.env --dry-run=client -o yaml
create cm e2 --from-env-file=vars.env --dry-run=client -o jsonpath={.data}
create cm e2 --from-env-file=vars.env --from-literal=a=b --dry-run=client
create cm e2 --from-file=none --dry-run=client
create quota q1 --hard=cpu=x --dry-run=client
create priorityclass p9 --value=10 --preemption-policy=Foo --dry-run=client
create pdb p9 --min-available=1 --max-unavailable=1 --selector=a=b --dry-run=client
create svc clusterip s9 --dry-run=client
create svc nodeport s9 --tcp=99999 --dry-run=client
create svc clusterip s9 --tcp=a:b:c --dry-run=client
create clusterrole x --verb=foo --resource=pods --dry-run=client
create role x --verb=get --resource=foos --dry-run=client
create role x --verb=get --resource=pods/log,pods/status --dry-run=client -o jsonpath={.rules}
create --raw /api/v1/namespaces/more/configmaps -f cm.json
create ingress i9 --rule=foo --dry-run=client
create ingress i9 --rule=a.b/=svc:port,tls --annotation=a=b --dry-run=client -o yaml
auth reconcile -f two-roles.yaml
auth reconcile -f two-roles.yaml
auth reconcile -f more-role.yaml --dry-run=client
auth reconcile -f more-role.yaml
auth reconcile
auth can-i list pods --as=ann
auth can-i get pods --as=ann
auth can-i get pods/log --as=ann --subresource=log
auth can-i get pods --all-namespaces
auth can-i foo pods
auth can-i get pods a b
auth can-i get /healthz -n more
create -f pod.yaml
cp none.txt lone:/tmp
cp lone:/tmp/a
cp a b
cp lone:/a other:/b
port-forward lone
port-forward nope 80
port-forward lone 0:0
port-forward svc/nope 80
exec lone -- ls
exec lone
exec -it
exec deploy/nope -- ls
attach lone
attach nope
attach
logs lone
logs lone -c none
logs lone --all-containers --previous
logs lone --since=1h --since-time=2020-01-01T00:00:00Z
logs lone --tail=-5
logs -l app=none
logs -l app=lone -c c lone
logs deploy/nope
logs
wait --for=condition=Ready pod/lone --timeout=100ms
wait --for=condition=Ready=False pod/lone --timeout=100ms
wait --for=delete pod/lone --timeout=100ms
wait --for=foo pod/lone
wait --for=condition= pod/lone --timeout=100ms
wait --for=jsonpath={.spec.nodeName}=worker pod/lone -o name
wait --for=jsonpath={.spec.nodeName} pod/lone
wait --for=jsonpath={.spec.nodeName}=other pod/lone --timeout=100ms
wait --for=condition=Ready pod --all -n default --timeout=100ms
wait --for=condition=Ready pod -l a=none
wait --for=delete pod -l a=none
wait pod/lone
wait
wait --for=condition=Ready
drain worker --dry-run=client
drain worker --dry-run=server --force
drain worker --ignore-daemonsets --force --dry-run=client
drain worker --pod-selector=app=none --dry-run=client
drain worker --selector=a=b
drain nope
drain
cordon -l a=none
cordon worker --dry-run=client
cordon
uncordon worker --dry-run=server
uncordon worker
taint node worker k=v:NoExecute k=w:NoSchedule
taint node worker k=v:NoExecute
taint node worker k=x:NoExecute --overwrite
taint node worker k-
taint node worker k-
taint node worker k
taint node worker
taint node worker k=v:NoSchedule k:NoSchedule-
taint node -l a=none k=v:NoSchedule
taint node --all k2:PreferNoSchedule
taint node worker k2-
taint cm e1 k=v:NoSchedule
label cm e1 a=b c=d
label cm e1 --list
label cm e1 a=c
label cm e1 a=c --overwrite --resource-version=1
label cm e1 a=c --resource-version=1
label cm --all t=1 -o name
label cm -l t=1 t-
label cm e1 bad/key/x=1
label cm e1 a=1 a-
label -f half.yaml z=1
label --local -f half.yaml z=1 -o jsonpath={.metadata.labels}
label cm e1 =x
label node worker --list
annotate cm e1 --list
annotate cm e1 a=b
annotate cm e1 --list
annotate cm e1 a=c
annotate cm e1 a=c --overwrite --resource-version=1
annotate cm --all q=1
annotate cm e1
annotate cm e1 a
annotate cm e1 a-
annotate cm e1 a-
annotate cm e1 a=b --dry-run=client -o jsonpath={.metadata.annotations}
annotate pods --all z=z -n default
replace -f half.yaml --force
replace -f none.yaml
replace -f thing2.yaml --force --grace-period=1
replace --force -f cm.json
replace -f cm2.json --dry-run=server
replace -f cm2.json --dry-run=client
replace
patch cm e1 --type=strategic -p {"data":{"s":"1"}}
patch cm e1 --patch-file=patch.yaml
patch cm e1 --patch-file=none.yaml
patch cm e1 --type=json -p {}
patch cm e1 --type=json -p [{"op":"test","path":"/data/s","value":"2"}]
patch cm e1 --type=json -p [{"op":"remove","path":"/data/none"}]
patch cm e1 --subresource=status -p {}
patch deploy front --subresource=foo -p {}
patch deploy front --subresource=scale --type=merge -p {"spec":{"replicas":2}} -o jsonpath={.spec.replicas}
patch -f half.yaml -p {"data":{"l":"1"}} --local -o jsonpath={.data}
patch thing none -p {}
patch cm e1 -p {"metadata":{"name":"e2"}}
patch cm e1 -p {"data":5}
patch cm e1 -p {"data":{"d":"1"}} --dry-run=server -o name
get cm e1 --output-watch-events
get cm --sort-by=.data.z -o name
get pods --field-selector spec.nodeName=worker -o name
get cm --field-selector metadata.name!=e1,metadata.name!=p1 -o name
get cm --chunk-size=2 -o name
get cm --chunk-size=-1 -o name
get cm -L set,a
get cm -L set --show-labels --no-headers
get cm,sa --show-kind
get cm e1 --show-kind
get cm/e1 sa/robot --show-kind --no-headers
get pod lone -o custom-columns-file=none
get pod lone -o custom-columns=A:.spec.containers[*].name,B:.metadata.none
get pod lone -o jsonpath-file=none
get all
get all -A --no-headers -o name
get cm e1 --watch-only=maybe
get cm e1 sa robot
get cm e1 e1
get
get cm --selector=a=b e1
get -f none.yaml
get -f half.yaml -o name
get -f pair.yaml -o name --ignore-not-found
get --raw /api/v1/namespaces/more/configmaps/nope
get --raw /api -f half.yaml
get things.example.com
get things.v1.example.com
get configmaps.v1. e1 -o name
get cm --limit=1
KUBECONFIG=FOLDER/config:FOLDER/other-config config get-contexts
KUBECONFIG=FOLDER/other-config:FOLDER/config config current-context
KUBECONFIG=FOLDER/config:FOLDER/other-config config view -o jsonpath={.contexts[*].name}
KUBECONFIG=FOLDER/config:FOLDER/other-config config view --minify --context=far
KUBECONFIG=FOLDER/config:FOLDER/other-config config set-context far --namespace=near
KUBECONFIG=FOLDER/config:FOLDER/other-config config get-contexts far
KUBECONFIG=FOLDER/other-config config view --raw
KUBECONFIG=FOLDER/other-config config current-context
KUBECONFIG=FOLDER/other-config config set-credentials u --username=a --password=b
KUBECONFIG=FOLDER/other-config config set-credentials u --token=t --username=a
KUBECONFIG=FOLDER/other-config config set-credentials e --exec-command=plug --exec-arg=a --exec-env=K=v --exec-api-version=client.authentication.k8s.io/v1
KUBECONFIG=FOLDER/other-config config set-credentials e --exec-env=K-
KUBECONFIG=FOLDER/other-config config set-credentials o --auth-provider=oidc --auth-provider-arg=a=b
KUBECONFIG=FOLDER/other-config config set-cluster c --server=https://h:1 --insecure-skip-tls-verify=true --tls-server-name=n
KUBECONFIG=FOLDER/other-config config set-cluster c --certificate-authority=none.crt --embed-certs
KUBECONFIG=FOLDER/other-config config set users.u.password q
KUBECONFIG=FOLDER/other-config config unset users.u.password
KUBECONFIG=FOLDER/other-config config unset users.none
KUBECONFIG=FOLDER/other-config config rename-context none other
KUBECONFIG=FOLDER/other-config config delete-context none
KUBECONFIG=FOLDER/other-config config delete-cluster none
KUBECONFIG=FOLDER/other-config config get-contexts none
config foo
--context=none get cm
--cluster=none get cm
--user=none get cm
plugin foo
api-resources --api-group=batch -o wide
api-resources --verbs=list,watch --namespaced=true -o name --api-group=apps
api-resources --verbs=foo
api-resources --cached --api-group=example.com --no-headers
api-resources --sort-by=foo
api-resources foo
api-versions foo
explain cm --recursive
explain hpa --api-version=autoscaling/v1
explain hpa.spec --api-version=autoscaling/v2
explain deploy --api-version=foo/v1
explain thing
explain thing.spec
explain thing.spec --recursive
explain pods.spec.containers[0]
explain foo
explain
explain pods nodes
explain ing.spec.rules.http.paths.backend
version -o foo
cluster-info
cluster-info foo
certificate approve
certificate approve csr1
certificate approve csr1
certificate deny csr1
delete pod lone --now --force
delete cm --all -l a=b
delete cm e1 --wait=false
delete cm e1/x
delete cm/e1 sa/robot --ignore-not-found
delete -f half.yaml --ignore-not-found --dry-run=client
delete -f none.yaml
delete --all
delete foo x
delete ns default --dry-run=server -o name
delete --raw /api/v1/namespaces/more/configmaps/json
delete cm --field-selector=metadata.name=p2
run r1 --image=nginx --port=80 --expose --dry-run=client
run r1 --image=nginx --expose
run r1 --image=Bad\ Image
run r1 --image=nginx --restart=Foo
run Bad_Name --image=nginx
run r1 --image=nginx --dry-run=client -o jsonpath={.spec.containers[0]} --image-pull-policy=Always
run r1 --image=nginx --overrides={"spec":{"nodeName":"x"}} --dry-run=client -o jsonpath={.spec.nodeName}
run r1 r2 --image=nginx --dry-run=client -o jsonpath={.spec.containers[0].args}
proxy --port=abc
completion
completion foo
completion bash zsh
foo
--server=https://127.0.0.1:1 get cm
--as=ann get secrets
--as=ann create cm x1
--token=bad get cm
--as=ann create deploy d --image=a
--as=ann create job j --image=a
--as=ann create cronjob c --image=a --schedule=@daily
--as=ann create secret generic s
--as=ann create secret tls s --cert=none --key=none
--as=ann create sa s
--as=ann create role r --verb=get --resource=pods
--as=ann create clusterrole r --verb=get --resource=pods
--as=ann create rolebinding r --role=r --user=u
--as=ann create clusterrolebinding r --clusterrole=r --user=u
--as=ann create svc clusterip s --tcp=80
--as=ann create svc nodeport s --tcp=80
--as=ann create svc externalname s --external-name=a.b
--as=ann create ingress i --rule=a/b=c:80
--as=ann create quota q
--as=ann create pdb p --selector=a=b --min-available=1
--as=ann create priorityclass p --value=1
--as=ann create ns n
--as=ann create token robot
--as=ann run x --image=a
--as=ann expose deploy front --port=80 --name=z
--as=ann autoscale deploy front --max=3 --name=z
--as=ann label cm json a=b
--as=ann scale deploy front --replicas=3
--as=ann set image deploy/front nginx=a
--as=ann delete cm json
--as=ann cordon worker
`
  .split('\n')
  .filter((line) => line !== '')
