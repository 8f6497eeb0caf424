/** expose, autoscale, run: make a service, an autoscaler or a pod for what is there. */
import type { ServiceObject } from '../api/kind-types.ts'
import { findObjects, manyFlags, type Found } from '../api/find-objects.ts'
import { resourceList, send } from '../api/generate.ts'
import { needPodSpec } from '../api/pod-template.ts'
import { writeFlags } from '../api/writing.ts'
import type { Command } from '../base/command.ts'
import type { Context } from '../base/context.ts'
import { Fault } from '../base/faults.ts'

interface Port {
  readonly containerPort?: number
  readonly port?: number
  readonly name?: string
  readonly protocol?: string
}

export const expose: Command = {
  use: '(-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name] [--name=name] [--external-ip=external-ip-of-service] [--type=type]',
  text: 'Creates a service for the pods of a workload, a pod or another service.',
  examples: [['A deployment', 'expose deployment web --port=80 --target-port=8000']],
  flags: {
    ...writeFlags,
    ...manyFlags,
    'cluster-ip': {
      type: 'text',
      help: "ClusterIP to be assigned to the service. Leave empty to auto-allocate, or set to 'None' to create a headless service.",
    },
    'external-ip': {
      type: 'text',
      help: 'Additional external IP address (not managed by the cluster) to accept for the service.',
    },
    labels: {
      type: 'text',
      short: 'l',
      help: 'Labels to apply to the service created by this call.',
    },
    selector: {
      type: 'text',
      help: 'A label selector to use for this service. Only equality-based selector requirements are supported.',
    },
    'load-balancer-ip': { type: 'text', help: 'IP to assign to the LoadBalancer.' },
    name: { type: 'text', help: 'The name for the newly created object.' },
    port: {
      type: 'text',
      help: 'The port that the service should serve on. Copied from the resource being exposed, if unspecified',
    },
    protocol: {
      type: 'text',
      help: "The network protocol for the service to be created. Default is 'TCP'.",
    },
    'save-config': { type: 'bool', help: 'Save the configuration in the annotation.' },
    'session-affinity': {
      type: 'text',
      help: "If non-empty, set the session affinity for the service to this; legal values: 'None', 'ClientIP'",
    },
    'target-port': {
      type: 'text',
      help: 'Name or number for the port on the container that the service should direct traffic to.',
    },
    type: {
      type: 'text',
      help: "Type for this service: ClusterIP, NodePort, LoadBalancer, or ExternalName. Default is 'ClusterIP'.",
    },
  },
  async run(c) {
    for (const one of await findObjects(c, c.args, { selectorIsOther: true }))
      await send(c, serviceFor(c, one), 'expose', 'exposed')
  },
}

function selectorOf(c: Context, { of, object }: Found): Record<string, string> {
  const given = c.flags.text('selector')
  if (given !== '') return resourceList(given) ?? {}
  const spec = object.spec as
    | {
        selector?: { matchLabels?: Record<string, string>; matchExpressions?: unknown[] } & Record<
          string,
          unknown
        >
      }
    | undefined
  if (of.kind === 'Pod') {
    const labels = object.metadata.labels ?? {}
    if (Object.keys(labels).length === 0)
      throw new Fault(
        "error: couldn't retrieve selectors via --selector flag or introspection: the pod has no labels and cannot be exposed",
      )
    return labels
  }
  if (of.kind === 'Service' || of.kind === 'ReplicationController')
    return (spec?.selector ?? {}) as unknown as Record<string, string>
  if (of.kind === 'Deployment' || of.kind === 'ReplicaSet') return spec?.selector?.matchLabels ?? {}
  throw new Fault(`error: cannot expose a ${of.kind}`)
}

function portsOf(one: Found): Port[] {
  if (one.of.kind === 'Service')
    return [...((one.object as unknown as ServiceObject).spec?.ports ?? [])] as Port[]
  return needPodSpec(one.object).containers.flatMap(({ ports }) => (ports ?? []) as Port[])
}

function serviceFor(c: Context, one: Found) {
  const text = (name: string) => c.flags.text(name)
  const selector = selectorOf(c, one)
  const given =
    text('port') === ''
      ? []
      : text('port')
          .split(',')
          .map((port): Port => ({ port: Number(port) }))
  const found = given.length > 0 ? given : portsOf(one)
  const isHeadless = text('cluster-ip') === 'None'
  if (found.length === 0 && !isHeadless)
    throw new Fault("error: couldn't find port via --port flag or introspection")
  const target = text('target-port')
  const ports = found.map(({ port, containerPort, protocol }, i) => {
    const number = port ?? containerPort ?? 0
    const goal =
      target === '' ? (containerPort ?? number) : /^\d+$/.test(target) ? Number(target) : target
    return {
      ...(found.length > 1 ? { name: `port-${i + 1}` } : {}),
      port: number,
      protocol: text('protocol') || protocol || 'TCP',
      targetPort: goal,
    }
  })
  const labels = text('labels') === '' ? one.object.metadata.labels : resourceList(text('labels'))
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: text('name') || one.name.slice(0, 63), ...(labels ? { labels } : {}) },
    spec: {
      ...(text('cluster-ip') === '' ? {} : { clusterIP: text('cluster-ip') }),
      ...(text('external-ip') === '' ? {} : { externalIPs: [text('external-ip')] }),
      ...(text('load-balancer-ip') === '' ? {} : { loadBalancerIP: text('load-balancer-ip') }),
      ports,
      selector,
      ...(text('session-affinity') === '' ? {} : { sessionAffinity: text('session-affinity') }),
      ...(text('type') === '' ? {} : { type: text('type') }),
    },
    status: { loadBalancer: {} },
  }
}

export const autoscale: Command = {
  use: '(-f FILENAME | TYPE NAME | TYPE/NAME) [--min=MINPODS] --max=MAXPODS [--cpu-percent=CPU]',
  text: 'Creates a horizontal pod autoscaler for a workload.',
  flags: {
    ...writeFlags,
    ...manyFlags,
    'cpu-percent': {
      type: 'int',
      default: '-1',
      help: 'The target average CPU utilization (represented as a percent of requested CPU) over all the pods.',
    },
    max: {
      type: 'int',
      default: '-1',
      help: 'The upper limit for the number of pods that can be set by the autoscaler. Required.',
    },
    min: {
      type: 'int',
      default: '-1',
      help: 'The lower limit for the number of pods that can be set by the autoscaler.',
    },
    name: {
      type: 'text',
      help: 'The name for the newly created object. If not specified, the name of the input resource will be used.',
    },
    'save-config': { type: 'bool', help: 'Save the configuration in the annotation.' },
  },
  async run(c) {
    const [min, max, cpu] = [c.flags.int('min'), c.flags.int('max'), c.flags.int('cpu-percent')]
    if (!c.flags.isSet('max')) throw new Fault('error: required flag(s) "max" not set')
    if (max < 1)
      throw new Fault(`error: --max=MAXPODS is required and must be at least 1, max: ${max}`)
    if (max < min)
      throw new Fault(
        `error: --max=MAXPODS must be larger or equal to --min=MINPODS, max: ${max}, min: ${min}`,
      )
    for (const { object, name, of } of await findObjects(c)) {
      if (!/^(Deployment|ReplicaSet|StatefulSet|ReplicationController)$/.test(of.kind)) {
        throw new Fault(
          `error: cannot autoscale a ${of.kind}: could not find scale subresource for ${of.group}/${of.version}, Resource=${of.name} in discovery information`,
        )
      }
      const made = {
        apiVersion: 'autoscaling/v1',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: c.flags.text('name') || name },
        spec: {
          maxReplicas: max,
          ...(min > 0 ? { minReplicas: min } : {}),
          scaleTargetRef: { apiVersion: object.apiVersion, kind: object.kind, name },
          ...(cpu >= 0 ? { targetCPUUtilizationPercentage: cpu } : {}),
        },
        status: { currentReplicas: 0, desiredReplicas: 0 },
      }
      await send(c, made, 'autoscale', 'autoscaled')
    }
  },
}

/** A name with an optional host, tag and digest. */
const IMAGE =
  /^(?:[A-Za-z0-9][A-Za-z0-9.-]*(?::\d+)?\/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::\w[\w.-]{0,127})?(?:@[a-z0-9+._-]+:[0-9A-Fa-f]{32,})?$/

export const run: Command = {
  use: 'NAME --image=image [--env="key=value"] [--port=port] [--dry-run=server|client] [--overrides=inline-json] [--command] -- [COMMAND] [args...]',
  text: 'Creates a pod that runs an image.',
  examples: [
    ['A pod', 'run web --image=nginx'],
    ['With arguments', 'run tool --image=busybox -- sleep 60'],
  ],
  flags: {
    ...writeFlags,
    annotations: { type: 'array', help: 'Annotations to apply to the pod.' },
    attach: {
      type: 'bool',
      help: 'If true, wait for the Pod to start running, and then attach to it.',
    },
    command: {
      type: 'bool',
      help: "If true and extra arguments are present, use them as the 'command' field in the container, rather than the 'args' field.",
    },
    env: { type: 'array', help: 'Environment variables to set in the container.' },
    expose: {
      type: 'bool',
      help: 'If true, create a ClusterIP service associated with the pod. Requires `--port`.',
    },
    image: { type: 'text', help: 'The image for the container to run.' },
    'image-pull-policy': { type: 'text', help: 'The image pull policy for the container.' },
    labels: {
      type: 'text',
      short: 'l',
      help: 'Comma separated labels to apply to the pod. Will override previous values.',
    },
    overrides: { type: 'text', help: 'An inline JSON override for the generated object.' },
    port: { type: 'text', help: 'The port that this container exposes.' },
    privileged: { type: 'bool', help: 'If true, run the container in privileged mode.' },
    quiet: { type: 'bool', short: 'q', help: 'If true, suppress prompt messages.' },
    restart: {
      type: 'text',
      default: 'Always',
      help: 'The restart policy for this Pod.  Legal values [Always, OnFailure, Never].',
    },
    rm: {
      type: 'bool',
      help: 'If true, delete the pod after it exits.  Only valid when attaching to the container.',
    },
    'save-config': { type: 'bool', help: 'Save the configuration in the annotation.' },
    stdin: {
      type: 'bool',
      short: 'i',
      help: 'Keep stdin open on the container in the pod, even if nothing is attached.',
    },
    tty: { type: 'bool', short: 't', help: 'Allocate a TTY for the container in the pod.' },
  },
  async run(c) {
    const [name = ''] = c.args
    if (name === '' || c.dash === 0) throw new Fault('error: NAME is required for run')
    if (c.flags.text('image') === '') throw new Fault('error: required flag(s) "image" not set')
    const image = c.flags.text('image')
    if (!IMAGE.test(image))
      throw new Fault(
        `error: Invalid image name ${JSON.stringify(image)}: invalid reference format`,
      )
    const restart = c.flags.text('restart')
    if (!['Always', 'OnFailure', 'Never'].includes(restart))
      throw c.misuse(`invalid restart policy: ${restart}`)
    if (c.flags.is('attach') || c.flags.is('rm')) {
      throw new Fault(
        `error: --attach and --rm are not supported: use "${c.program} attach" when the pod runs, and "${c.program} delete"`,
      )
    }
    const { applyMergePatch } = await import('../../patch/merge-patch.ts')
    const { parseYaml } = await import('../../codec/yaml.ts')
    const text = c.flags.text('overrides')
    const made = podFor(c, name)
    const port = c.flags.text('port')
    if (c.flags.is('expose') && port === '')
      throw c.misuse('--port must be set when exposing a service')
    const pod = (text === '' ? made : applyMergePatch(made, await parseYaml(text))) as typeof made
    if (c.flags.is('expose')) await exposePod(c, made, Number(port))
    await send(c, pod, 'run')
  },
}

/** The service of `run --expose`. */
const exposePod = (c: Context, { metadata }: ReturnType<typeof podFor>, port: number) =>
  send(
    c,
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: metadata.name },
      spec: {
        ports: [{ port, protocol: 'TCP', targetPort: port }],
        selector: metadata.labels,
      },
      status: { loadBalancer: {} },
    },
    'expose',
  )

function podFor(c: Context, name: string) {
  const text = (flag: string) => c.flags.text(flag)
  const extra = c.args.slice(1)
  const labels = text('labels') === '' ? { run: name } : (resourceList(text('labels')) ?? {})
  const env = c.flags.list('env').map((pair) => {
    const equals = pair.indexOf('=')
    if (equals < 1) throw new Fault(`error: invalid environment variable: ${pair}`)
    return { name: pair.slice(0, equals), value: pair.slice(equals + 1) }
  })
  const annotations = Object.fromEntries(
    c.flags.list('annotations').map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]),
  )
  const container = {
    ...(extra.length > 0 ? { [c.flags.is('command') ? 'command' : 'args']: extra } : {}),
    ...(env.length > 0 ? { env } : {}),
    image: text('image'),
    ...(text('image-pull-policy') === '' ? {} : { imagePullPolicy: text('image-pull-policy') }),
    name,
    ...(text('port') === '' ? {} : { ports: [{ containerPort: Number(text('port')) }] }),
    resources: {},
    ...(c.flags.is('privileged') ? { securityContext: { privileged: true } } : {}),
    ...(c.flags.is('stdin') ? { stdin: true, stdinOnce: true } : {}),
    ...(c.flags.is('tty') ? { tty: true } : {}),
  }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...(Object.keys(annotations).length > 0 ? { annotations } : {}), labels, name },
    spec: { containers: [container], dnsPolicy: 'ClusterFirst', restartPolicy: text('restart') },
    status: {},
  }
}
