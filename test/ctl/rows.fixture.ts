/** Invocations whose output is compared with that of a stock client, in this order on one server. */

import { MORE_FILES, MORE_ROWS } from './more-rows.fixture.ts'
import { RICH, RICH_ROOM, RICH_STATUS, RICH_THING } from './rich.fixture.ts'

/** Files that rows name, in the working folder. */
export const FILES: Readonly<Record<string, string>> = {
  'all.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: applied, labels: {app: x}}
data: {a: "1"}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: applied, labels: {app: x}}
spec:
  selector: {matchLabels: {app: applied}}
  template:
    metadata: {labels: {app: applied}}
    spec: {containers: [{name: c, image: nginx, ports: [{containerPort: 80}]}]}
`,
  'all2.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: applied, labels: {app: x}}
data: {b: "2"}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: applied, labels: {app: x}}
spec:
  strategy: {type: Recreate}
  selector: {matchLabels: {app: applied}}
  template:
    metadata: {labels: {app: applied}}
    spec: {containers: [{name: c, image: "nginx:2"}, {name: d, image: busybox}]}
`,
  'one.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: applied, labels: {app: x}}
data: {b: "2"}
`,
  'cm.json': '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"json"},"data":{"k":"v"}}',
  'cm2.json': '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"json"},"data":{"k":"w"}}',
  'bad.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad}\ndat: {a: b}\n',
  'nokind.yaml': 'apiVersion: x/v1\nkind: Foo\nmetadata: {name: a}\n',
  'other-ns.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: elsewhere}\n',
  'node.yaml': 'apiVersion: v1\nkind: Node\nmetadata: {name: worker}\n',
  'crd.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things, singular: thing, shortNames: [th]}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer}, items: {type: array, items: {type: string}}}}
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
`,
  'thing.yaml':
    'apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t1}\nspec: {size: 3, items: [a, b]}\n',
  'thing2.yaml':
    'apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t1}\nspec: {size: 4, items: [c]}\n',
  'rich.yaml': RICH,
  'rich-thing.yaml': RICH_THING,
  'rich-room.yaml': RICH_ROOM,
  'rich-node.json': RICH_STATUS.node,
  'rich-pod.json': RICH_STATUS.pod,
  'role.yaml': `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: rec}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
`,
  ...MORE_FILES,
}

const FIRST_ROWS: readonly string[] = `
create ns team
create deployment web --image=nginx --replicas=2
create configmap c1 --from-literal=a=1 --from-literal=b=<x>
label cm c1 tier=front
create svc clusterip s1 --tcp=80:8080
create secret generic sec --from-literal=p=x
create -f node.yaml
get ns
get ns -o wide
get ns --no-headers
get deployments.apps
get deploy web
get deploy web -o wide
get deploy,svc,cm
get cm c1 -o json
get cm c1 -o yaml
get cm c1 -o name
get cm -o name
get secret sec -o yaml
get cm c1 nope
get cm nope
get cm nope --ignore-not-found
get foo
get cm,foo
get cm -l tier=front
get cm -l tier!=front -o name
get cm -l tier\\ in\\ (front) --show-labels
get cm -L tier
get cm -A -o name
get ns --sort-by=.metadata.name
get ns --sort-by={.metadata.name} -o name
get ns --sort-by=.foo
get cm -o jsonpath={.items[*].metadata.name}
get cm c1 -o jsonpath={.data}
get cm c1 -o jsonpath={.data.a}{"\\\\n"}
get cm -o jsonpath={range\\ .items[*]}{.metadata.name}{"\\\\t"}{end}
get cm -o jsonpath={.items[?(@.metadata.name=="c1")].data.a}
get cm -o jsonpath={.items[0].metadata.name}
get cm -o jsonpath={.items[-1:].metadata.name}
get cm c1 -o jsonpath={..a}
get cm c1 -o jsonpath={.metadata['name','namespace']}
get cm c1 -o jsonpath-as-json={.data}
get cm c1 -o jsonpath={.missing}
get cm c1 -o jsonpath={.missing} --allow-missing-template-keys=false
get cm -o custom-columns=N:.metadata.name,D:.data.a
get cm c1 -o custom-columns=N:.metadata.name,D:.data --no-headers
get cm c1 -o custom-columns=N
get svc/s1 cm/c1 -o name
get svc/s1 cm/c1
get cm/c1 deploy
get cm c1 --foo
get cm -z
get cm c1 -A
get cm -n nope
get cm --chunk-size=1
get cm --field-selector metadata.name=c1
get cm c1 -l a=b
get deploy web --subresource=scale
get deploy web --subresource=foo
get nodes
get node worker -o name
get --raw /healthz
get --raw /nope
get cm c1 --show-managed-fields -o jsonpath={.metadata.managedFields[*].manager}
get -f cm.json
get cm --watch=maybe
api-resources
api-resources -o wide
api-resources -o name
api-resources --api-group=apps
api-resources --namespaced=false --no-headers
api-resources --verbs=create,list
api-resources --sort-by=kind
api-resources -o foo
api-versions
config current-context
config get-contexts
config get-contexts -o name
config get-clusters
config get-users
config view
config view --minify -o jsonpath={.contexts[0].name}
config set-context other --namespace=team --cluster=kubernetes --user=kubernetes-admin
config set-context other --namespace=default
config get-contexts
config use-context other
config current-context
config use-context nope
config set-cluster extra --server=https://1.2.3.4
config set-credentials robot --token=abc
config rename-context other third
config set clusters.extra.server https://5.6.7.8
config unset current-context
config current-context
config use-context kubernetes-admin@kubernetes
config delete-context third
config delete-cluster extra
config delete-user robot
config delete-user robot2
scale deploy web --replicas=3
scale deploy web --replicas=2 --current-replicas=5
scale deploy nope --replicas=2
scale deploy web
scale deploy/web --replicas=-2
label cm c1 x=1
label cm c1 x=1
label cm c1 x=2
label cm c1 x=2 --overwrite
label cm c1 x-
label cm c1 x-
label cm c1 --list
label cm c1
label cm nope a=b
label cm --all q=1
label cm c1 z=1 --dry-run=client
label cm c1 z=1 --dry-run=server -o name
annotate cm c1 n=1
annotate cm c1 n=2
annotate cm c1 n=2 --overwrite
annotate cm c1 n-
patch cm c1 -p {"data":{"z":"1"}}
patch cm c1 -p {"data":{"z":"1"}}
patch cm c1 --type=json -p [{"op":"add","path":"/data/y","value":"1"}]
patch cm c1 --type=merge -p {"data":{"y":null}}
patch cm c1 --type=foo -p {}
patch cm nope -p {}
patch cm c1
patch cm c1 -p data:\\ {y:\\ "2"} -o jsonpath={.data.y}
patch deploy web --subresource=scale --type=merge -p {"spec":{"replicas":1}}
create ns x1 --dry-run=client -o yaml
create cm x1 --from-literal=a=b --from-file=cm.json --dry-run=client -o yaml
create cm x1 --from-file=key=cm.json --dry-run=client -o yaml
create cm x1 --from-literal=a --dry-run=client
create cm x1 --from-literal=a=b --from-literal=a=c --dry-run=client
create secret generic s2 --from-literal=a=b --type=x --dry-run=client -o yaml
create sa x1 --dry-run=client -o yaml
create role r1 --verb=get,list --resource=pods,deployments.apps --dry-run=client -o yaml
create role r1 --verb=get --resource=pods --resource-name=a --dry-run=client -o yaml
create role r1 --resource=pods --dry-run=client
create role r1 --verb=get --dry-run=client
create clusterrole r1 --verb=get --resource=nodes --dry-run=client -o yaml
create clusterrole r1 --verb=get --non-resource-url=/healthz --dry-run=client -o yaml
create clusterrole r1 --aggregation-rule=a=b --dry-run=client -o yaml
create rolebinding rb --role=r1 --user=u --group=g --serviceaccount=default:sa --dry-run=client -o yaml
create rolebinding rb --user=u --dry-run=client
create clusterrolebinding rb --clusterrole=r1 --user=u --dry-run=client -o yaml
create deployment d1 --image=nginx:1 --replicas=2 --port=80 --dry-run=client -o yaml
create deployment d1 --image=a/b:1 --image=c --dry-run=client -o yaml
create deployment d1 --dry-run=client
create deploy d1 --image=busybox --dry-run=client -o yaml -- sleep 5
create job j1 --image=busybox --dry-run=client -o yaml -- date
create cronjob c1 --image=busybox --schedule=*/1\\ *\\ *\\ *\\ * --dry-run=client -o yaml
create svc clusterip s9 --tcp=80:8080 --dry-run=client -o yaml
create svc clusterip s9 --clusterip=None --dry-run=client -o yaml
create service nodeport s9 --tcp=80 --dry-run=client -o yaml
create service loadbalancer s9 --tcp=80:http --dry-run=client -o yaml
create service externalname s9 --external-name=a.b --dry-run=client -o yaml
create ingress i1 --rule=foo.com/bar*=svc:80,tls=sec --class=c --dry-run=client -o yaml
create ingress i1 --default-backend=svc:http --dry-run=client -o yaml
create ingress i1
create quota q1 --hard=cpu=1,pods=2 --scopes=BestEffort --dry-run=client -o yaml
create pdb p1 --min-available=1 --selector=a=b --dry-run=client -o yaml
create pdb p1 --selector=a=b --dry-run=client
create priorityclass p1 --value=10 --description=d --dry-run=client -o yaml
create ns
create ns a b
create ns default
create foo
create -f cm.json
create -f cm.json
create -f bad.yaml
create -f nokind.yaml
create -f none.yaml
create -f other-ns.yaml -n default
replace -f cm2.json
replace -f one.yaml
get cm json -o jsonpath={.data.k}
delete -f cm2.json
delete -f cm2.json
run p1 --image=nginx --dry-run=client -o yaml --env=A=b --port=80 --labels=a=b
run p1 --image=busybox --dry-run=client -o yaml --restart=Never --command -- sleep 1
run p1
expose deploy web --port=80 --target-port=8080 --dry-run=client -o yaml
expose deploy web --dry-run=client
expose deploy web --port=80 --name=web2
autoscale deploy web --min=1 --max=3 --cpu-percent=50 --dry-run=client -o yaml
autoscale deploy web --min=1
autoscale deploy web --max=3
set image deploy/web nginx=nginx:5 --dry-run=client
set image deploy/web nginx=nginx:5
set image deploy/web foo=nginx:5
set env deploy/web A=b
set env deploy/web --list
set env deploy/web A-
set resources deploy/web --limits=cpu=1
set serviceaccount deploy/web robot
get deploy web -o jsonpath={.spec.template.spec.containers[0]}
rollout pause deploy/web
rollout pause deploy/web
rollout resume deploy/web
rollout restart deploy/web
rollout pause deploy/nope
rollout status deploy/web --watch=false
rollout status cm/c1
auth can-i create pods
auth can-i create pods --as=nobody
auth can-i get nodes
auth can-i get /healthz
auth can-i get foos
auth can-i create pods -q
auth can-i
auth reconcile -f role.yaml
explain cm
explain pods.spec.containers.ports
explain deploy.spec.strategy
explain pods.foo
apply -f all.yaml
apply -f all.yaml
get cm applied -o yaml
apply -f all2.yaml
get deploy applied -o jsonpath={.spec.strategy}{.spec.template.spec.containers[*].image}
apply -f all2.yaml --dry-run=client
apply -f all2.yaml --dry-run=server
apply view-last-applied cm/applied
apply -f one.yaml --server-side
apply -f all.yaml --server-side
apply -f bad.yaml
apply -f nokind.yaml
apply -f one.yaml --prune -l app=x
apply
apply -f none.yaml
wait --for=condition=Available deploy/nope
wait --for=delete cm/nope
wait --for=condition=Foo deploy/web --timeout=1s
wait --for=jsonpath={.metadata.name}=web deploy/web
wait deploy/web
cordon worker
cordon worker
uncordon worker
cordon nope
taint nodes worker a=b:NoSchedule
taint nodes worker a=c:NoSchedule
taint nodes worker a:NoSchedule-
taint nodes worker a:NoSchedule-
taint nodes worker a=b:Foo
drain worker
uncordon worker
logs nope
exec nope -- ls
exec nope
certificate approve nope
edit cm nope
create -f crd.yaml
wait --for=condition=Established crd/things.example.com
apply -f thing.yaml
get things
get th t1 -o name
get th t1 -o jsonpath={.spec}
apply -f thing2.yaml
get thing t1 -o jsonpath={.spec}
label thing t1 a=b
delete thing t1
delete cm nope
delete cm nope --ignore-not-found
delete cm
delete cm -l nope=1
delete cm c1 --dry-run=client
delete cm c1 --dry-run=server
delete cm c1 --cascade=foo
delete cm c1 -o yaml
delete cm c1
delete deploy/web svc/s1 -o name
delete secret sec --now
delete ns team
create -f rich.yaml
create -f rich-thing.yaml
wait --for=condition=Established crd/rooms.example.com
create -f rich-room.yaml
patch node rich-node --subresource=status --patch-file rich-node.json
patch pod bound -n rich --subresource=status --patch-file rich-pod.json
describe node rich-node --show-events=false
describe ns/rich -n rich
describe quota/quota -n rich
describe limits/limits -n rich
describe sa/robot -n rich
describe sa/default -n rich
describe cm/conf -n rich
describe cm/long -n rich
describe secret/sec -n rich
describe pv/vol -n rich
describe pod/full -n rich
describe pod/bound -n rich --show-events=false
describe deploy/dep -n rich
describe sts/sts -n rich
describe ds/ds -n rich
describe rc/rc -n rich
describe svc/svc -n rich
describe ing/ing -n rich
describe ingressclass/nginx -n rich
describe netpol/np -n rich
describe job/job -n rich --show-events=false
describe cj/cron -n rich
describe hpa/hpa -n rich
describe pdb/pdb -n rich
describe role/role -n rich
describe rolebinding/rb -n rich
describe sc/fast -n rich
describe pc/high -n rich
describe csr/csr1 -n rich
describe ep/svc -n rich
describe endpointslice -n rich
describe pvc claim -n rich --show-events=false
describe clusterrole view
describe clusterrole cluster-admin
describe clusterrolebinding cluster-admin
describe cm nope -n rich
describe po -n rich -l app=nope
describe cm con -n rich
`
  .split('\n')
  .filter((line) => line !== '')

export const ROWS: readonly string[] = [...FIRST_ROWS, ...MORE_ROWS]

/** The arguments of a row: blanks and backslashes after a backslash are plain. Variables may come first. */
export function split(
  row: string,
  folder: string,
): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  const words = (row.match(/(?:\\.|[^ \\])+/g) ?? []).map((part) =>
    part.replaceAll(/\\(.)/g, '$1').replaceAll('FOLDER', folder),
  )
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word))
  const variables = words.slice(0, first).map((word) => /^([^=]*)=(.*)$/s.exec(word)!.slice(1))
  return { args: words.slice(first), env: Object.fromEntries(variables) as Record<string, string> }
}

/** What differs from run to run has the same text everywhere. */
export function normal(text: string, folder: string): string {
  return (
    text
      .replaceAll(folder, 'FOLDER')
      .replaceAll('kubectl', 'orchctl')
      .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UID')
      .replaceAll(/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000/g, 'TIME')
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC/g, 'TIME')
      .replaceAll(/\b(kube-api-access|svc)-[a-z0-9]{5}\b/g, '$1-RANDOM')
      // Asks for another version.
      .replaceAll(/^Warning: autoscaling\/v2beta2 .*\n/gm, '')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
      .replaceAll(/resourceVersion"?: ?"\d+"/g, 'resourceVersion: N')
      .replaceAll(/ +(<unknown>|\d+(ms|s|m\d+s|m))(?=\s|$)/gm, ' AGE')
      // The padding after it is as wide as it is short.
      .replaceAll(/ AGE +(?=\S)/g, ' AGE ')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'SERVER')
      .replaceAll(/\b10\.(\d+\.){2}\d+\b/g, 'IP')
      // The padding is as wide as the address is short.
      .replaceAll(/\bIP +(?=<none>)/g, 'IP ')
      .split('\u001B')
      .map((part, i) => (i === 0 ? part : part.replace(/^\[[\d;]+m/, '')))
      .join('')
      .replaceAll(/ +$/gm, '')
  )
}
