/** scale: sets how many replicas a workload has. */
import type { ApiObject } from '../../client/transport.ts'
import { findObjects, manyFlags, readOne } from '../api/find-objects.ts'
import { resourcePath } from '../api/resources.ts'
import { until } from '../api/until.ts'
import { Done, dryRunFlag, dryRunOf, forEach } from '../api/writing.ts'
import type { Command } from '../base/command.ts'
import { Fault } from '../base/faults.ts'
import { outputFlags } from '../print/output.ts'

interface Scale extends ApiObject {
  spec?: { replicas?: number }
}

export const scale: Command = {
  use: '[--resource-version=version] [--current-replicas=count] --replicas=COUNT (-f FILENAME | TYPE NAME) [flags]',
  text: 'Sets a new size for a deployment, replica set, replication controller, stateful set or custom resource.',
  examples: [
    ['Scale a deployment', 'scale --replicas=3 deployment/web'],
    ['Only if it has two now', 'scale --current-replicas=2 --replicas=3 deployment/web'],
  ],
  flags: {
    ...outputFlags,
    ...manyFlags,
    ...dryRunFlag,
    'current-replicas': {
      type: 'int',
      default: '-1',
      help: 'Precondition for current size. Requires that the current size of the resource match this value in order to scale.',
    },
    replicas: { type: 'int', default: '-1', help: 'The new desired number of replicas. Required.' },
    'resource-version': { type: 'text', help: 'Precondition for resource version.' },
    timeout: {
      type: 'duration',
      default: '0',
      help: "The length of time to wait before giving up on a scale operation, zero means don't wait.",
    },
  },
  async run(c) {
    if (!c.flags.isSet('replicas')) throw new Fault('error: required flag(s) "replicas" not set')
    const replicas = c.flags.int('replicas')
    if (replicas < 0) {
      throw new Fault(
        'error: The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0',
      )
    }
    const dryRun = dryRunOf(c)
    const done = await Done.of(c)
    await forEach(await findObjects(c), async (one) => {
      if (dryRun === 'client') return done.say(one.object, 'scaled')
      const query = {
        fieldManager: (await c.words()).words.cli,
        ...(dryRun === 'server' ? { dryRun: 'All' } : {}),
      }
      await setReplicas(c, one, { replicas, query })
      await done.say(one.object, 'scaled')
      const timeoutMs = c.flags.duration('timeout')
      if (timeoutMs === 0) return
      await until(c, one, {
        timeoutMs,
        isDone: (object) =>
          object === null ||
          (object.status as { replicas?: number } | undefined)?.replicas === replicas,
      })
    })
  },
}

async function setReplicas(
  c: Parameters<Command['run']>[0],
  one: Parameters<typeof readOne>[1],
  {
    replicas,
    query,
  }: { readonly replicas: number; readonly query: Readonly<Record<string, string>> },
): Promise<void> {
  const api = await c.api()
  const path = `${resourcePath(one.of, one.namespace, one.name)}/scale`
  const wanted = c.flags.int('current-replicas')
  const version = c.flags.text('resource-version')
  if (wanted < 0 && version === '') {
    await api.json({
      method: 'PATCH',
      path,
      query,
      body: { spec: { replicas } },
      type: 'application/merge-patch+json',
    })
    return
  }
  const scale = (await readOne(c, one, 'scale')) as Scale
  const now = scale.spec?.replicas ?? 0
  if (wanted >= 0 && now !== wanted) {
    throw new Fault(`error: Expected replicas to be ${wanted}, was ${now}`)
  }
  if (version !== '' && scale.metadata?.resourceVersion !== version) {
    throw new Fault(
      `error: Expected resource version to be ${version}, was ${scale.metadata?.resourceVersion}`,
    )
  }
  await api.json({
    method: 'PUT',
    path,
    query,
    body: { ...scale, spec: { ...scale.spec, replicas } },
  })
}
