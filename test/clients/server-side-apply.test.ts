/** kubectl apply --server-side, edit and patch: who owns what, as a stock client sees it. */
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { ownersOf, type Json } from '../conformance/apply.fixture.ts'
import { application } from './application.fixture.ts'
import { Kubectl } from './kubectl.ts'

let server: RunningServer
let kubectl: Kubectl

beforeAll(async () => {
  server = await startServer({ vocabulary: 'kubernetes', controllers: ['api'] })
  kubectl = await Kubectl.for(server.kubeconfig)
})
afterAll(async () => {
  await kubectl.close()
  await server.close()
})

/** Runs a command with a manifest as its input. */
const feed = (manifest: Json, ...args: string[]) =>
  kubectl.run([...args, '-f', '-'], JSON.stringify(manifest))
const apply = (manifest: Json, ...more: string[]) =>
  feed(manifest, 'apply', '--server-side', ...more)
const get = async (...what: string[]): Promise<Json> =>
  JSON.parse(await kubectl.ok('get', ...what, '-o', 'json', '--show-managed-fields'))
const owners = (object: Json) =>
  ownersOf(object, object.apiVersion).map((line) => line.slice(0, line.indexOf(':')))

const deployment = (replicas?: number, image = 'example.com/web:1') => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    ...(replicas === undefined ? {} : { replicas }),
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image, ports: [{ containerPort: 80 }] }] },
    },
  },
})

describe('two managers of one deployment', () => {
  test('the first apply creates', async () => {
    expect(await apply(deployment(2))).toEqual({
      code: 0,
      stdout: 'deployment.apps/web serverside-applied\n',
      stderr: '',
    })
    expect(owners(await get('deployment', 'web'))).toEqual(['kubectl'])
  })

  test('another value is a conflict that says with whom', async () => {
    const { code, stdout, stderr } = await apply(deployment(3), '--field-manager=scaler')
    expect([code, stdout, stderr.split('\n')[0]]).toEqual([
      1,
      '',
      'error: Apply failed with 1 conflict: conflict with "kubectl": .spec.replicas',
    ])
  })

  test('several conflicts are listed by manager', async () => {
    const { stderr } = await apply(deployment(3, 'example.com/web:2'), '--field-manager=scaler')
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      'error: Apply failed with 2 conflicts: conflicts with "kubectl":',
      '- .spec.replicas',
      '- .spec.template.spec.containers[name="web"].image',
    ])
  })

  test('--force-conflicts takes the field', async () => {
    const only = {
      ...deployment(),
      spec: { replicas: 3, selector: { matchLabels: { app: 'web' } } },
    }
    const { code, stderr } = await apply(only, '--field-manager=scaler', '--force-conflicts')
    expect([code, stderr]).toEqual([0, ''])
    const { spec } = await get('deployment', 'web')
    expect(spec.replicas).toBe(3)
    const again = await apply(deployment(2))
    expect(again.stderr.split('\n')[0]).toBe(
      'error: Apply failed with 1 conflict: conflict with "scaler": .spec.replicas',
    )
  })

  test('who leaves the field is done with it', async () => {
    const { code, stderr } = await apply(deployment())
    expect([code, stderr]).toEqual([0, ''])
    expect((await get('deployment', 'web')).spec.replicas).toBe(3)
  })

  test('scale writes through its own path', async () => {
    await kubectl.ok('scale', 'deployment', 'web', '--replicas=5')
    expect(owners(await get('deployment', 'web'))).toEqual(['kubectl', 'kubectl~/scale', 'scaler'])
    const refused = await apply(deployment(2))
    expect(refused.stderr.split('\n')[0]).toMatch(
      /^error: Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps\/v1 at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: \.spec\.replicas$/,
    )
  })
})

describe('two managers of one service', () => {
  const service = (...ports: readonly Json[]) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports },
  })
  const http = { name: 'http', port: 80 }
  const dns = { name: 'dns', port: 53, protocol: 'UDP' }

  test('each has ports of its own', async () => {
    expect((await apply(service(http))).stderr).toBe('')
    expect((await apply(service(dns), '--field-manager=dns')).stderr).toBe('')
    const { spec } = await get('service', 'web')
    expect(spec.ports.map(({ name }: Json) => name).sort()).toEqual(['dns', 'http'])
  })

  test('a port in conflict is named by its keys', async () => {
    const { stderr } = await apply(service({ ...http, targetPort: 8080 }), '--field-manager=dns')
    expect(stderr).toBe('')
    const { stderr: refused } = await apply(service({ ...http, targetPort: 9090 }))
    expect(refused.split('\n')[0]).toBe(
      'error: Apply failed with 1 conflict: conflict with "dns": .spec.ports[port=80,protocol="TCP"].targetPort',
    )
  })
})

describe('migration from client-side apply', () => {
  const map = (data: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'moved' },
    data,
  })

  test('fields that are as they were applied are taken over', async () => {
    expect((await feed(map({ a: '1', b: '1' }), 'apply')).code).toBe(0)
    expect(owners(await get('cm', 'moved'))).toEqual(['kubectl-client-side-apply~'])
    const { code, stderr } = await apply(map({ a: '2', b: '1' }))
    expect([code, stderr]).toEqual([0, ''])
    const after = await get('cm', 'moved')
    expect(after.data).toEqual({ a: '2', b: '1' })
    expect(owners(after)).toContain('kubectl')
    const annotation =
      after.metadata.annotations['kubectl.kubernetes.io/last-applied-configuration']
    expect(JSON.parse(annotation).data).toEqual({ a: '2', b: '1' })
  })

  test('fields that somebody changed since are not', async () => {
    await kubectl.ok('patch', 'cm', 'moved', '--type=merge', '-p', '{"data":{"b":"9"}}')
    const { stderr } = await apply(map({ a: '2', b: '2' }))
    expect(stderr.split('\n')[0]).toMatch(
      /^error: Apply failed with 1 conflict: conflict with "kubectl-patch" using v1 at \S+: \.data\.b$/,
    )
  })

  test('and back: client-side apply goes on with what the server kept', async () => {
    expect((await feed(map({ a: '3', b: '9' }), 'apply')).code).toBe(0)
    expect((await get('cm', 'moved')).data).toEqual({ a: '3', b: '9' })
  })
})

describe('an application of thirty objects', () => {
  test('is applied, and again without a change', async () => {
    const file = join(kubectl.home, 'application.yaml')
    await writeFile(file, application().join('\n---'))
    const lines = (out: string) => out.trim().split('\n')
    const first = lines(await kubectl.ok('apply', '--server-side', '-f', file))
    expect(first.filter((line) => line.endsWith(' serverside-applied'))).toHaveLength(30)
    const versions = () =>
      kubectl.ok('get', '-f', file, '-o', 'jsonpath={.items[*].metadata.resourceVersion}')
    const before = await versions()
    await kubectl.ok('apply', '--server-side', '-f', file)
    expect(await versions()).toBe(before)
  })

  test('a diff tells of a change of the server’s side', async () => {
    const file = join(kubectl.home, 'changed.yaml')
    await writeFile(file, application('registry.example/shop:2', 'debug').join('\n---'))
    const { code, stdout, stderr } = await kubectl.run(['diff', '--server-side', '-f', file])
    expect([code, stderr]).toEqual([1, ''])
    expect(stdout).toContain('+  level: debug')
    const { code: applied } = await kubectl.run(['apply', '--server-side', '-f', file])
    expect(applied).toBe(0)
  })
})

describe('edit and patch', () => {
  test('edit with a scripted editor', async () => {
    await kubectl.ok('create', 'configmap', 'edited', '--from-literal=a=1')
    const editor = join(kubectl.home, 'editor.sh')
    await writeFile(editor, '#!/bin/sh\nsed -i \'s/a: "1"/a: "2"/\' "$1"\n')
    await chmod(editor, 0o755)
    const edit = () => kubectl.run(['edit', 'cm', 'edited'], '', { KUBE_EDITOR: editor })
    expect(await edit()).toEqual({ code: 0, stdout: 'configmap/edited edited\n', stderr: '' })
    const { data, ...object } = await get('cm', 'edited')
    expect([data, owners(object)]).toEqual([{ a: '2' }, ['kubectl-create~', 'kubectl-edit~']])
    expect((await edit()).stderr).toBe('Edit cancelled, no changes made.\n')
  })

  test('patch --type strategic merges lists by their keys', async () => {
    const patch = {
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'web', env: [{ name: 'LEVEL', value: 'debug' }] },
              { name: 'side', image: 'example.com/side:1' },
            ],
          },
        },
      },
    }
    await kubectl.ok('patch', 'deployment', 'web', '--type=strategic', '-p', JSON.stringify(patch))
    const { spec, ...object } = await get('deployment', 'web')
    const shown = spec.template.spec.containers.map(({ name, image, env }: Json) => [
      name,
      image,
      env ?? null,
    ])
    expect(shown.sort()).toEqual([
      ['side', 'example.com/side:1', null],
      ['web', 'example.com/web:1', [{ name: 'LEVEL', value: 'debug' }]],
    ])
    expect(owners(object)).toContain('kubectl-patch~')
  })

  test('what a patch added stays through the next apply', async () => {
    expect((await apply(deployment())).stderr).toBe('')
    const { spec } = await get('deployment', 'web')
    expect(spec.template.spec.containers).toHaveLength(2)
  })
})
