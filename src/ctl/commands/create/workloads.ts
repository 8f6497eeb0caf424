/** create deployment, job, cronjob, service. */
import { generatorCommand, nameArg, requireFlags, type Made } from '../../api/generate.ts'
import { readOne } from '../../api/find-objects.ts'
import { findResource } from '../../api/resources.ts'
import type { Context } from '../../base/context.ts'
import { Fault } from '../../base/faults.ts'
import type { FlagSpecs } from '../../base/flags.ts'

/** The name of a container of an image. */
export const containerName = (image: string): string =>
  image
    .slice(image.lastIndexOf('/') + 1)
    .split(/[:@]/)[0]!
    .replaceAll('_', '-')

const command = (c: Context) => (c.dash < 0 ? [] : c.args.slice(c.dash))

function nameBefore(c: Context): string {
  const names = c.dash < 0 ? c.args : c.args.slice(0, c.dash)
  if (names.length !== 1) throw c.misuse(`exactly one NAME is required, got ${names.length}`)
  return names[0]!
}

export const createDeployment = generatorCommand({
  use: 'NAME --image=image -- [COMMAND] [args...]',
  text: 'Creates a deployment.',
  examples: [['Three replicas', 'create deployment web --image=nginx --replicas=3']],
  flags: {
    image: { type: 'list', help: 'Image names to run.' },
    port: { type: 'int', default: '-1', help: 'The port that this container exposes.' },
    replicas: { type: 'int', short: 'r', default: '1', help: 'Number of replicas to create.' },
  },
  make(c) {
    const name = nameBefore(c)
    requireFlags(c, 'image')
    const args = command(c)
    const images = c.flags.list('image')
    if (images.length > 1 && args.length > 0)
      throw new Fault('error: cannot specify multiple --image options and command')
    if (c.flags.int('replicas') < 0)
      throw new Fault('error: --replicas must be greater than or equal to 0')
    const port = c.flags.int('port')
    const containers = images.map((image, i) => ({
      ...(args.length > 0 ? { command: args } : {}),
      image,
      name: containerName(image),
      ...(port > 0 && i === 0 ? { ports: [{ containerPort: port }] } : {}),
      resources: {},
    }))
    const labels = { app: name }
    return {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { labels, name },
      spec: {
        replicas: c.flags.int('replicas'),
        selector: { matchLabels: labels },
        strategy: {},
        template: { metadata: { creationTimestamp: null, labels }, spec: { containers } },
      },
      status: {},
    }
  },
})

function podOf(name: string, image: string, args: readonly string[], restart: string) {
  const container = { ...(args.length > 0 ? { command: args } : {}), image, name, resources: {} }
  return {
    metadata: { creationTimestamp: null },
    spec: { containers: [container], restartPolicy: restart },
  }
}

export const createJob = generatorCommand({
  use: 'NAME --image=image [--from=cronjob/name] -- [COMMAND] [args...]',
  text: 'Creates a job, from an image or as a cron job would.',
  flags: {
    from: {
      type: 'text',
      help: 'The name of the resource to create a Job from (only cronjob is supported).',
    },
    image: { type: 'text', help: 'Image name to run.' },
  },
  async make(c): Promise<Made> {
    const name = nameBefore(c)
    const [from, image] = [c.flags.text('from'), c.flags.text('image')]
    if ((from === '') === (image === ''))
      throw new Fault('error: either --image or --from must be specified')
    const metadata = { name }
    if (from === '') {
      const template = podOf(name, image, command(c), 'Never')
      return { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template }, status: {} }
    }
    const [type = '', of = ''] = from.split('/')
    if (!/^(cronjobs?|cj)(\.batch)?$/.test(type) || of === '')
      throw new Fault('error: from must be an existing cronjob')
    const resource = await findResource(await c.discovery(), 'cronjobs.batch')
    const { name: namespace } = await c.namespace()
    const cron = await readOne(c, { of: resource, namespace, name: of })
    const { jobTemplate } = cron.spec as {
      jobTemplate: { metadata?: { labels?: object; annotations?: object }; spec: object }
    }
    const v = await c.words()
    return {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name,
        annotations: {
          [v.resolve('cronjob.{label}/instantiate')]: 'manual',
          ...jobTemplate.metadata?.annotations,
        },
        ...(jobTemplate.metadata?.labels ? { labels: jobTemplate.metadata.labels } : {}),
        ownerReferences: [
          {
            apiVersion: 'batch/v1',
            kind: 'CronJob',
            name: of,
            uid: cron.metadata.uid,
            controller: true,
          },
        ],
      },
      spec: jobTemplate.spec,
    }
  },
})

export const createCronJob = generatorCommand({
  use: "NAME --image=image --schedule='0/5 * * * ?' -- [COMMAND] [args...] [flags]",
  text: 'Creates a cron job.',
  flags: {
    image: { type: 'text', help: 'Image name to run.' },
    restart: { type: 'text', help: "job's restart policy. supported values: OnFailure, Never" },
    schedule: { type: 'text', help: 'A schedule in the Cron format the job should be run with.' },
  },
  make(c) {
    const name = nameBefore(c)
    requireFlags(c, 'image', 'schedule')
    const template = podOf(
      name,
      c.flags.text('image'),
      command(c),
      c.flags.text('restart') || 'OnFailure',
    )
    return {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name },
      spec: {
        jobTemplate: { metadata: { creationTimestamp: null, name }, spec: { template } },
        schedule: c.flags.text('schedule'),
      },
      status: {},
    }
  },
})

const portFlags = {
  tcp: { type: 'list', help: "Port pairs can be specified as '<port>:<targetPort>'." },
} as const satisfies FlagSpecs

function portsOf(c: Context, needed: boolean): object[] {
  const texts = c.flags.list('tcp')
  if (texts.length === 0 && needed)
    throw new Fault('error: at least one tcp port specifier must be provided')
  return texts.map((text) => {
    const [port = '', target = ''] = text.split(':')
    const node = c.flags.has('node-port') ? c.flags.int('node-port') : 0
    const isNumber = /^\d+$/.test(port)
    if (!isNumber || Number(port) > 65_535)
      throw new Fault(
        `error: strconv.ParseUint: parsing ${JSON.stringify(port)}: ${isNumber ? 'value out of range' : 'invalid syntax'}`,
      )
    const targetPort = target === '' ? Number(port) : /^\d+$/.test(target) ? Number(target) : target
    return {
      name: text.replaceAll(':', '-'),
      ...(node > 0 ? { nodePort: node } : {}),
      port: Number(port),
      protocol: 'TCP',
      targetPort,
    }
  })
}

function service(c: Context, type: string, more: object = {}): Made {
  const name = nameArg(c)
  const isHeadless = c.flags.has('clusterip') && c.flags.text('clusterip') === 'None'
  const ports = portsOf(c, type !== 'ExternalName' && !isHeadless)
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { labels: { app: name }, name },
    spec: { ...more, ...(ports.length > 0 ? { ports } : {}), selector: { app: name }, type },
    status: { loadBalancer: {} },
  }
}

const serviceUse = '[--tcp=port:targetPort] [--dry-run=server|client|none]'

export const createClusterIp = generatorCommand({
  use: `NAME ${serviceUse}`,
  text: 'Creates a service with an address of the cluster.',
  flags: {
    ...portFlags,
    clusterip: {
      type: 'text',
      help: "Assign your own ClusterIP or set to 'None' for a 'headless' service (no loadbalancing).",
    },
  },
  make(c) {
    const ip = c.flags.text('clusterip')
    return service(c, 'ClusterIP', ip === '' ? {} : { clusterIP: ip })
  },
})

export const createNodePort = generatorCommand({
  use: `NAME ${serviceUse}`,
  text: 'Creates a service with a port on each node.',
  flags: {
    ...portFlags,
    'node-port': {
      type: 'int',
      default: '0',
      help: 'Port used to expose the service on each node in a cluster.',
    },
  },
  make: (c) => service(c, 'NodePort'),
})

export const createLoadBalancer = generatorCommand({
  use: `NAME ${serviceUse}`,
  text: 'Creates a service with a load balancer.',
  flags: portFlags,
  make: (c) => service(c, 'LoadBalancer'),
})

export const createExternalName = generatorCommand({
  use: 'NAME --external-name external.name [--dry-run=server|client|none]',
  text: 'Creates a service that stands for another host.',
  flags: { ...portFlags, 'external-name': { type: 'text', help: 'External name of service' } },
  make(c) {
    nameArg(c)
    requireFlags(c, 'external-name')
    return service(c, 'ExternalName', { externalName: c.flags.text('external-name') })
  },
})
