/** The files of deploy/: their flags parse, and a server takes the manifest. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { flagValues } from '../src/cli/flag-values.ts'
import { parseYamlDocuments } from '../src/codec/yaml.ts'
import { parseFlags } from '../src/flags/flags.ts'
import { startServer } from '../src/index.ts'
import { serverFlags } from '../src/server/options/server-flags.ts'
import { Client } from './client.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(ROOT, 'deploy', name), 'utf8')
const dir = mkdtempSync(join(tmpdir(), 'deploy-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** The values of a configuration file's text, with further arguments. */
async function configured(text: string, ...args: readonly string[]) {
  const path = join(dir, 'config.yaml')
  writeFileSync(path, text)
  return flagValues(serverFlags, [...args, `--config=${path}`])
}

const hasSystemd = existsSync('/usr/bin/systemd-analyze')

describe('the unit', () => {
  const unit = read('orch.service')
  const values = (name: string) =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, v]) => v!)

  test('starts a server with flags that there are', async () => {
    const [program, command, ...args] = values('ExecStart')[0]!.split(' ')
    expect([program, command]).toEqual(['/usr/local/bin/orch', 'server'])
    expect(parseFlags(serverFlags, args)).toMatchObject({
      'data-dir': '/var/lib/orch',
      config: '/etc/orch/config.yaml',
    })
    expect(await configured(read('config.yaml'))).toMatchObject({
      'bind-address': '0.0.0.0',
      'shutdown-delay-duration': 10_000,
      'logging-format': 'json',
    })
    expect([values('Type'), values('NotifyAccess')]).toEqual([['notify'], ['all']])
  })

  test.skipIf(!hasSystemd)('satisfies systemd', async () => {
    const path = join(dir, 'orch.service')
    writeFileSync(path, unit.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'))
    const { stdout, stderr } = await promisify(execFile)('systemd-analyze', ['verify', path])
    expect(stdout + stderr).toBe('')
  })
})

test('the container file copies what there is and starts a server', () => {
  const lines = read('Containerfile')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const of = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1))
  const words = lines.map((line) => line.replace(/ .*/, ''))
  expect(
    words.filter(
      (word) =>
        !/^(FROM|WORKDIR|COPY|RUN|USER|VOLUME|EXPOSE|STOPSIGNAL|ENTRYPOINT|CMD|ENV)$/.test(word),
    ),
  ).toEqual([])
  const [program, command, ...args] = JSON.parse(of('ENTRYPOINT')[0]!) as string[]
  const more = JSON.parse(of('CMD')[0]!) as string[]
  const { bin, name } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    name: string
    bin: Record<string, string>
  }
  expect([program, command]).toEqual([`/app/node_modules/.bin/${Object.keys(bin)[0]!}`, 'server'])
  expect(of('RUN')[0]).toContain('npm ci && npm pack')
  expect(of('RUN')[1]).toContain(`/tmp/${name}-*.tgz`)
  expect(parseFlags(serverFlags, [...args, ...more])).toMatchObject({
    'data-dir': of('VOLUME')[0],
    'bind-address': '0.0.0.0',
    'secure-port': Number(of('EXPOSE')[0]),
  })
})

test('the manifest is accepted, and its pod starts a server', async () => {
  const documents = (await parseYamlDocuments(read('orch.yaml'))) as {
    kind: string
    apiVersion: string
    data?: Record<string, string>
    // oxlint-disable-next-line typescript/no-explicit-any -- objects of several kinds
    spec?: any
  }[]
  const server = await startServer({ vocabulary: 'kubernetes', controllers: false })
  const client = new Client(server)
  for (const document of documents) {
    const { kind, apiVersion } = document
    const prefix = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`
    const plural = `${kind.toLowerCase()}s`
    const path = kind === 'Namespace' ? '' : '/namespaces/orch'
    const dry = kind === 'Namespace' ? '' : '&dryRun=All'
    const reply = await client.post(
      `${prefix}${path}/${plural}?fieldValidation=Strict${dry}`,
      document,
    )
    expect([kind, reply.status, reply.headers.warning]).toEqual([kind, 201, undefined])
  }
  client.close()
  await server.close()

  const config = documents.find(({ kind }) => kind === 'ConfigMap')!.data!['config.yaml']!
  const [container] = documents.find(({ kind }) => kind === 'StatefulSet')!.spec.template.spec
    .containers
  expect(container.args).toEqual(['--config=/etc/orch/config.yaml'])
  expect(await configured(config, '--data-dir=/var/lib/orch')).toMatchObject({
    'secure-port': container.ports[0].containerPort,
    'bind-address': '0.0.0.0',
  })
})
