/** kubectl apply of a whole application, changed, compared and pruned (vocabulary of existing clients). */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { application } from './application.fixture.ts'
import { Kubectl } from './kubectl.ts'

describe('an application of thirty objects', () => {
  let server: RunningServer
  let kubectl: Kubectl
  let file: string
  const write = (documents: string[]) => writeFile(file, documents.join('\n---'))
  const counts = (out: string) => {
    const found = new Map<string, number>()
    for (const line of out.trim().split('\n')) {
      const word = line.split(' ').at(-1)!
      found.set(word, (found.get(word) ?? 0) + 1)
    }
    return Object.fromEntries(found)
  }

  beforeAll(async () => {
    server = await startServer({ vocabulary: 'kubernetes' })
    kubectl = await Kubectl.for(server.kubeconfig)
    file = join(kubectl.home, 'application.yaml')
  })
  afterAll(async () => {
    await kubectl.close()
    await server.close()
  })

  test('apply makes all of it', async () => {
    expect(application()).toHaveLength(30)
    await write(application())
    expect(counts(await kubectl.ok('apply', '-f', file))).toEqual({ created: 30 })
  })

  test('apply again changes nothing', async () => {
    const versions = () =>
      kubectl.ok('get', '-f', file, '-o', 'jsonpath={.items[*].metadata.resourceVersion}')
    const before = await versions()
    // The client sends what it replaces as a whole, claim templates and the selector of a budget, every time.
    expect(counts(await kubectl.ok('apply', '-f', file))).toEqual({ unchanged: 28, configured: 2 })
    expect(await versions()).toBe(before)
  })

  test('diff shows what a change would do, and does nothing', async () => {
    await write(application('registry.example/shop:2', 'debug'))
    const { code, stdout } = await kubectl.run(['diff', '-f', file])
    expect(code).toBe(1)
    const lines = stdout
      .split('\n')
      .filter((line) => /^[-+] /.test(line))
      .map((line) => line.replace(/\s+/g, ' '))
    expect(lines.filter((line) => line.includes('level:'))).toEqual([
      '- level: info',
      '+ level: debug',
    ])
    expect(
      lines.filter((line) => line.startsWith('+ image:') || line.startsWith('+ - image:')),
    ).toHaveLength(4)
    const image = await kubectl.ok(
      'get',
      'deploy',
      'web',
      '-n',
      'shop',
      '-o',
      'jsonpath={.spec.template.spec.containers[0].image}',
    )
    expect(image).toBe('registry.example/shop:1')
  })

  test('apply of the change touches what differs and keeps what others set', async () => {
    await kubectl.ok('annotate', 'deploy', 'web', '-n', 'shop', 'note=kept')
    await kubectl.ok('scale', 'deploy', 'cart', '-n', 'shop', '--replicas=5')
    expect(counts(await kubectl.ok('apply', '-f', file))).toEqual({ configured: 7, unchanged: 23 })
    const web = JSON.parse(await kubectl.ok('get', 'deploy', 'web', '-n', 'shop', '-o', 'json'))
    expect(web.metadata.annotations.note).toBe('kept')
    // Once for the note, once for the image: annotations of a deployment count.
    expect(web.metadata.generation).toBe(3)
    expect(web.spec.template.spec.containers).toHaveLength(1)
    expect(web.spec.template.spec.containers[0].image).toBe('registry.example/shop:2')
    expect(
      await kubectl.ok('get', 'deploy', 'cart', '-n', 'shop', '-o', 'jsonpath={.spec.replicas}'),
    ).toBe('2')
  })

  test('prune removes what the files no longer name', async () => {
    const without = application('registry.example/shop:2', 'debug').filter(
      (text) => !text.includes('name: pages'),
    )
    await write(without)
    const out = await kubectl.ok(
      'apply',
      '-f',
      file,
      '--prune',
      '-l',
      'app=shop',
      '--prune-whitelist=core/v1/ConfigMap',
    )
    expect(out).toContain('configmap/pages pruned')
    expect(out.match(/pruned/g)).toHaveLength(1)
    expect((await kubectl.run(['get', 'configmap', 'pages', '-n', 'shop'])).code).toBe(1)
  })

  test('wrong manifests are refused with their fields', async () => {
    const wrong = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: wrong, namespace: shop }
spec:
  replica: 1
  selector: { matchLabels: { a: b } }
  template: { metadata: { labels: { a: b } }, spec: { containers: [{ name: c, image: i }] } }`
    const { code, stderr } = await kubectl.run(['apply', '-f', '-'], wrong)
    expect(code).toBe(1)
    expect(stderr).toContain('unknown field "spec.replica"')
    const invalid = wrong.replace('replica: 1', 'replicas: -1')
    const second = await kubectl.run(['apply', '-f', '-'], invalid)
    expect(second.stderr).toBe(
      'The Deployment "wrong" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0\n',
    )
  })

  test('delete -f takes it down', async () => {
    await write(application('registry.example/shop:2', 'debug').slice(1))
    const out = await kubectl.ok('delete', '-f', file, '--wait=false', '--ignore-not-found')
    expect(out.match(/ deleted/g)).toHaveLength(28)
  })
})
