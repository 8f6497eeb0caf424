/** A stock helm 3.11 with a chart of our own, hooks included (vocabulary of existing clients). */
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Kubectl } from './kubectl.ts'

let server: RunningServer
let kubectl: Kubectl
let helm: Kubectl

beforeAll(async () => {
  server = await startServer({ vocabulary: 'kubernetes' })
  kubectl = await Kubectl.for(server.kubeconfig)
  helm = await kubectl.helm()
  await cp(join(import.meta.dirname, 'chart'), join(kubectl.home, 'chart'), { recursive: true })
})
afterAll(async () => {
  await kubectl.close()
  await server.close()
})

const get = (path: string, ...what: string[]) =>
  kubectl.ok('get', '-n', 'apps', ...what, '-o', `jsonpath=${path}`)

test('install', async () => {
  const out = await helm.ok('install', 'notes', './chart', '-n', 'apps', '--create-namespace')
  expect(out).toContain('STATUS: deployed')
  expect(await get('{.data.cluster}', 'cm/notes')).toMatch(/^v1\.25\./)
  expect(await get('{.data.revision}', 'cm/notes-before')).toBe('1')
  expect(await get('{.data.revision}', 'cm/notes-after')).toBe('1')
})

test('list', async () => {
  const rows = JSON.parse(await helm.ok('list', '-n', 'apps', '-o', 'json'))
  expect(rows.map((row: any) => [row.name, row.revision, row.status])).toEqual([
    ['notes', '1', 'deployed'],
  ])
})

test('upgrade', async () => {
  await helm.ok(
    'upgrade',
    'notes',
    './chart',
    '-n',
    'apps',
    '--set',
    'replicas=3,image=registry.example/notes:2',
  )
  expect(
    await get('{.spec.replicas} {.spec.template.spec.containers[0].image}', 'deploy/notes'),
  ).toBe('3 registry.example/notes:2')
  expect(await get('{.data.revision}', 'cm/notes-after')).toBe('2')
})

test('rollback', async () => {
  await helm.ok('rollback', 'notes', '1', '-n', 'apps')
  expect(
    await get('{.spec.replicas} {.spec.template.spec.containers[0].image}', 'deploy/notes'),
  ).toBe('1 registry.example/notes:1')
  const rows = JSON.parse(await helm.ok('history', 'notes', '-n', 'apps', '-o', 'json'))
  expect(rows.map((row: any) => row.status)).toEqual(['superseded', 'superseded', 'deployed'])
})

test('a chart that does not validate is refused and changes nothing', async () => {
  const { code, stderr } = await helm.run([
    'upgrade',
    'notes',
    './chart',
    '-n',
    'apps',
    '--set',
    'replicas=-1',
  ])
  expect(code).toBe(1)
  expect(stderr).toContain('spec.replicas: Invalid value: -1: must be greater than or equal to 0')
  expect(await get('{.spec.replicas}', 'deploy/notes')).toBe('1')
})

test('uninstall', async () => {
  expect(await helm.ok('uninstall', 'notes', '-n', 'apps')).toContain('release "notes" uninstalled')
  // The account that every namespace has stays.
  expect(await get('{.items[*].metadata.name}', 'deploy,svc,sa')).toBe('default')
  expect(await get('{.data.gone}', 'cm/notes-removed')).toBe('yes')
})
