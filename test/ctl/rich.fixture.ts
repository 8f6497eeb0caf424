/** One object of each kind that has a layout of its own in descriptions, with most of what can be set. */
export const RICH = `apiVersion: v1
kind: Namespace
metadata: {name: rich, labels: {team: a}, annotations: {note: hello}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: quota, namespace: rich}
spec: {hard: {pods: "20", requests.cpu: "10", limits.cpu: "20"}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: limits, namespace: rich}
spec: {limits: [{type: Container, default: {cpu: 500m}, defaultRequest: {cpu: 100m}, max: {cpu: "2"}}]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot, namespace: rich}
secrets: [{name: robot-token}]
imagePullSecrets: [{name: pull}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: conf, namespace: rich, labels: {a: b}}
data: {key: value, multi: "line1\\nline2\\n"}
binaryData: {bin: AQID}
---
apiVersion: v1
kind: Secret
metadata: {name: sec, namespace: rich}
stringData: {password: hidden}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: vol}
spec:
  capacity: {storage: 5Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: fast
  hostPath: {path: /data, type: Directory}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: claim, namespace: rich}
spec: {accessModes: [ReadWriteOnce], storageClassName: slow, resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: full, namespace: rich, labels: {app: full}, annotations: {x: "y"}}
spec:
  serviceAccountName: default
  nodeSelector: {disk: ssd}
  priorityClassName: ""
  tolerations: [{key: k, operator: Exists, effect: NoSchedule}]
  initContainers: [{name: init, image: busybox, command: [sh, -c, "echo a\\necho b"]}]
  containers:
  - name: main
    image: nginx:1
    args: ["-g", "daemon off;"]
    ports: [{name: http, containerPort: 80}, {containerPort: 53, protocol: UDP, hostPort: 53}]
    env:
    - {name: A, value: b}
    - {name: S, valueFrom: {secretKeyRef: {name: sec, key: password}}}
    - {name: C, valueFrom: {configMapKeyRef: {name: conf, key: key, optional: true}}}
    - {name: F, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    - {name: R, valueFrom: {resourceFieldRef: {containerName: main, resource: limits.cpu}}}
    envFrom: [{configMapRef: {name: conf}}, {prefix: p_, secretRef: {name: sec, optional: true}}]
    resources: {limits: {cpu: "1", memory: 1Gi}, requests: {cpu: 100m}}
    livenessProbe: {httpGet: {path: /healthz, port: http}, initialDelaySeconds: 3}
    readinessProbe: {exec: {command: [cat, /tmp/ready]}}
    startupProbe: {tcpSocket: {port: 80}}
    volumeMounts: [{name: data, mountPath: /data}, {name: conf, mountPath: /conf, subPath: key, readOnly: true}]
  volumes:
  - {name: data, emptyDir: {}}
  - {name: conf, configMap: {name: conf, optional: true}}
  - {name: s, secret: {secretName: sec}}
  - {name: pvc, persistentVolumeClaim: {claimName: claim}}
  - {name: host, hostPath: {path: /x}}
  - {name: dn, downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: dep, namespace: rich, labels: {app: dep}}
spec:
  replicas: 1
  selector: {matchLabels: {app: dep}, matchExpressions: [{key: tier, operator: In, values: [a, b]}]}
  template:
    metadata: {labels: {app: dep, tier: a}}
    spec: {containers: [{name: c, image: nginx}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: sts, namespace: rich}
spec:
  serviceName: svc
  selector: {matchLabels: {app: sts}}
  template:
    metadata: {labels: {app: sts}}
    spec: {containers: [{name: c, image: nginx}]}
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: ds, namespace: rich}
spec:
  selector: {matchLabels: {app: ds}}
  template:
    metadata: {labels: {app: ds}}
    spec: {containers: [{name: c, image: nginx}]}
---
apiVersion: v1
kind: ReplicationController
metadata: {name: rc, namespace: rich}
spec:
  replicas: 0
  selector: {app: rc}
  template:
    metadata: {labels: {app: rc}}
    spec: {containers: [{name: c, image: nginx}]}
---
apiVersion: v1
kind: Service
metadata: {name: svc, namespace: rich, labels: {app: svc}}
spec: {selector: {app: dep}, clusterIP: 10.0.0.77, ports: [{name: http, port: 80, targetPort: 8080, nodePort: 30080}, {name: dns, port: 53, protocol: UDP, nodePort: 30053}], type: NodePort, sessionAffinity: ClientIP}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: ing, namespace: rich, annotations: {a: b}}
spec:
  ingressClassName: nginx
  defaultBackend: {service: {name: svc, port: {number: 80}}}
  tls: [{hosts: [a.example.com], secretName: sec}]
  rules:
  - host: a.example.com
    http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: svc, port: {name: http}}}}, {path: /x, pathType: Exact, backend: {service: {name: nope, port: {number: 1}}}}]}
  - http: {paths: [{pathType: ImplementationSpecific, backend: {resource: {apiGroup: example.com, kind: Bucket, name: b}}}]}
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: nginx}
spec: {controller: example.com/nginx}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np, namespace: rich}
spec:
  podSelector: {matchLabels: {app: dep}}
  policyTypes: [Ingress, Egress]
  ingress: [{from: [{podSelector: {matchLabels: {a: b}}}, {namespaceSelector: {}}, {ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}], ports: [{port: 80, protocol: TCP}]}]
  egress: [{}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: job, namespace: rich}
spec:
  completions: 1
  backoffLimit: 2
  suspend: true
  template: {spec: {restartPolicy: Never, containers: [{name: c, image: busybox, command: [ls]}]}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: cron, namespace: rich}
spec:
  schedule: "0 5 31 2 *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: OnFailure, containers: [{name: c, image: busybox}]}}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: hpa, namespace: rich}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: dep}
  minReplicas: 1
  maxReplicas: 5
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: pdb, namespace: rich}
spec: {minAvailable: 1, selector: {matchLabels: {app: dep}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: role, namespace: rich}
rules:
- {apiGroups: ["", apps], resources: [pods, deployments], verbs: [get, list]}
- {apiGroups: [""], resources: [secrets], resourceNames: [sec], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: rb, namespace: rich}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: role}
subjects: [{kind: User, name: u, apiGroup: rbac.authorization.k8s.io}, {kind: ServiceAccount, name: robot, namespace: rich}]
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: example.com/disk
parameters: {type: ssd}
mountOptions: [ro]
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
description: for important ones
---
apiVersion: v1
kind: Node
metadata: {name: rich-node, labels: {kubernetes.io/hostname: rich-node}}
spec: {podCIDR: 10.1.0.0/24, taints: [{key: k, value: v, effect: NoSchedule}]}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: lease, namespace: rich}
spec: {holderIdentity: me}
---
apiVersion: v1
kind: Pod
metadata: {name: bound, namespace: rich, labels: {app: dep, tier: a}}
spec:
  nodeName: rich-node
  priorityClassName: high
  hostAliases: [{ip: 1.2.3.4, hostnames: [a]}]
  containers:
  - {name: main, image: nginx, resources: {requests: {cpu: 250m, memory: 128Mi}, limits: {cpu: 500m, memory: 1Gi}}, stdin: false}
  - {name: side, image: busybox, command: [sh], args: [-c, sleep]}
---
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: csr1}
spec: {signerName: example.com/x, usages: [client auth], request: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIU01Ib0NBUUF3R0RFS01BZ0dBMVVFQXd3QmRURUtNQWdHQTFVRUNnd0JaekJaTUJNR0J5cUdTTTQ5QWdFRwpDQ3FHU000OUF3RUhBMElBQkxkdko4T24wN1VlczlwQVpVbzNKMjcwNFNiOXova08xY3dZbGhXYWpvLzE3eFFYCjFlOU05VmNPQlJXMjdKbnEwQjBoYWNsdHh0SDN1OEtWM0REM2RlNmdBREFLQmdncWhrak9QUVFEQWdOSUFEQkYKQWlBVHg4OGFMVjczWjNRdXlkeUlrREVwYzM3VVUwWjVxZWw5ZGVxM2tMd3Y1UUloQUpTaUIvS3FGWXZyN3h3SwpoTjlqOTNYRGh2N0Z3Z3NUNm1iTjFYM09XL21CCi0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: long
  namespace: rich
  labels: {b: "2", a: "1"}
  annotations: {short: v, multi: "l1\\nl2\\n", long: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}
`

/** Of a kind whose schema keeps all. */
export const RICH_THING = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: rooms.example.com}
spec:
  group: example.com
  names: {kind: Room, plural: rooms, singular: room}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

export const RICH_ROOM = `apiVersion: example.com/v1
kind: Room
metadata: {name: rich, namespace: rich}
spec: {size: 3, items: [a, b], clusterIPs: [x], list: [{name: one, value: {deep: 1}}, {name: two, value: 2}], empty: {}, emptyList: [], nullish: null, boolA: true, someURL: x, nested: [[1, 2], [3]]}
`

/** Patches of the status of the node and of the pod that runs on it. */
export const RICH_STATUS = {
  node: `{"status": {"capacity": {"cpu": "4", "memory": "8Gi", "pods": "110"}, "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}, "addresses": [{"type": "InternalIP", "address": "192.0.2.5"}, {"type": "Hostname", "address": "rich-node"}], "nodeInfo": {"machineID": "m", "systemUUID": "u", "bootID": "b", "kernelVersion": "5", "osImage": "Debian", "containerRuntimeVersion": "c://1", "kubeletVersion": "v1.25.0", "kubeProxyVersion": "v1.25.0", "operatingSystem": "linux", "architecture": "amd64"}, "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2024-01-02T03:04:05Z", "lastTransitionTime": "2024-01-02T03:04:05Z", "reason": "KubeletReady", "message": "ready"}]}}`,
  pod: `{"status": {"phase": "Running", "podIP": "192.0.2.4", "podIPs": [{"ip": "192.0.2.4"}], "hostIP": "192.0.2.5", "startTime": "2024-01-02T03:04:05Z", "conditions": [{"type": "Ready", "status": "True"}, {"type": "PodScheduled", "status": "True"}], "containerStatuses": [{"name": "main", "image": "nginx", "imageID": "sha", "containerID": "c://1", "ready": true, "restartCount": 2, "state": {"running": {"startedAt": "2024-01-02T03:04:05Z"}}, "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "message": "m", "startedAt": "2024-01-02T03:04:05Z", "finishedAt": "2024-01-02T03:05:05Z"}}}, {"name": "side", "image": "busybox", "imageID": "", "ready": false, "restartCount": 0, "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}}}]}}`,
} as const
