/**
 * Starts many environments at once and says what they take: tsx test/envtest/many.ts [20]
 *
 * Needs a build. Fails when one of them is not ready, refuses a write, or does not end well.
 */
import { rm } from 'node:fs/promises'
import { freePort } from '../ports.ts'
import { Environment, makeAssets, memoryOf } from './environment.ts'

const count = Number(process.argv[2] ?? 20)
if (!Number.isInteger(count) || count < 1 || count > 100) throw new Error('give 1 to 100')

const MAPS = '/api/v1/namespaces/default/configmaps'

const middle = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
const row = (name: string, values: readonly number[], unit: string) =>
  console.log(
    `${name.padEnd(32)} ${middle(values).toFixed(0)} ${unit}, at most ${Math.max(...values).toFixed(0)}`,
  )

const assets = await makeAssets()
const ports: number[] = []
while (ports.length < 2 * count) ports.push(await freePort())
const environments = ports
  .slice(0, count)
  .map((port, i) => new Environment(assets, { port, etcdPort: ports[count + i]! }))
try {
  await Promise.all(environments.map((environment) => environment.prepare()))
  const from = performance.now()
  const etcds = await Promise.all(environments.map((one) => one.startEtcd()))
  const servers = await Promise.all(environments.map((one) => one.startApiserver()))
  console.log(`${count} environments ready after ${(performance.now() - from).toFixed(0)} ms`)
  row('etcd ready after', etcds, 'ms')
  row('API server ready after', servers, 'ms')
  await Promise.all(
    environments.map(async (one, i) => {
      const { status } = await one.ask('POST', MAPS, { metadata: { name: `of-${i}` } })
      const { body } = await one.ask('GET', MAPS)
      const names = (body as { items: { metadata: { name: string } }[] }).items
      if (status !== 201 || names.map(({ metadata }) => metadata.name).join() !== `of-${i}`)
        throw new Error(`environment ${i}: ${status}, ${JSON.stringify(body)}`)
    }),
  )
  for (const kind of ['rss', 'pss'] as const) {
    const title = kind === 'rss' ? 'resident' : 'of its own and its share'
    row(
      `etcd, ${title}`,
      environments.map((one) => memoryOf(one.etcd!)[kind]),
      'MB',
    )
    row(
      `API server, ${title}`,
      environments.map((one) => memoryOf(one.apiserver!)[kind]),
      'MB',
    )
  }
} finally {
  const ended = (await Promise.all(environments.map((one) => one.close()))).flat()
  row('ended after', ended.length === 0 ? [0] : ended.map(({ ms }) => ms), 'ms')
  await rm(assets, { recursive: true, force: true })
  const codes = ended.map(({ code }) => code).filter((code) => code !== 0)
  if (codes.length > 0) {
    console.error(`exit codes ${codes.join()}`)
    process.exitCode = 1
  }
}
