/** A stock kubectl against a server over a real socket, in both vocabularies. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { manifests } from '../manifests.fixture.ts'
import { parseExposition } from '../../src/metrics/exposition.fixture.ts'
import { Kubectl } from './kubectl.ts'

const NOT_STORED = [
  'bindings',
  'componentstatuses',
  'localsubjectaccessreviews',
  'selfsubjectaccessreviews',
  'selfsubjectrulesreviews',
  'subjectaccessreviews',
  'tokenreviews',
]

const WORDS = {
  orch: { system: 'orch', storage: 'storage.orch.io' },
  kubernetes: { system: 'kube', storage: 'storage.k8s.io' },
} as const

/** The one version of a kind of users. */
const THINGS = {
  name: 'v1',
  served: true,
  storage: true,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            size: { type: 'integer', description: 'How large it is.' },
            replicas: { type: 'integer' },
          },
        },
        status: { type: 'object', properties: { replicas: { type: 'integer' } } },
      },
    },
  },
  subresources: {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  },
  additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
}

for (const vocabulary of ['kubernetes', 'orch'] as const) {
  describe(`vocabulary ${vocabulary}`, () => {
    let server: RunningServer
    let kubectl: Kubectl
    const { system, storage } = WORDS[vocabulary]

    beforeAll(async () => {
      server = await startServer({ vocabulary, controllers: ['api'] })
      kubectl = await Kubectl.for(server.kubeconfig)
    })
    afterAll(async () => {
      await kubectl.close()
      await server.close()
    })

    test('api-resources lists what is served', async () => {
      const lines = (await kubectl.ok('api-resources', '--no-headers')).trim().split('\n')
      const rows = lines.map((line) =>
        line
          .trim()
          .split(/\s{2,}|\s(?=v1|true|false)/)
          .map((s) => s.trim()),
      )
      const names = rows.map(([name]) => name!.split(/\s/)[0])
      const stored = manifests(vocabularies[vocabulary])
        .filter(({ apiVersion }) => !apiVersion.includes('alpha'))
        .map(({ resource }) => resource)
      expect([...new Set(names)].sort()).toEqual([...new Set([...stored, ...NOT_STORED])].sort())
      expect(lines.find((line) => line.startsWith('storageclasses'))).toContain(`${storage}/v1`)
    })

    test('get ns shows the system namespaces', async () => {
      const out = await kubectl.ok(
        'get',
        'ns',
        '-o',
        'jsonpath={range .items[*]}{.metadata.name} {.status.phase}{"\\n"}{end}',
      )
      const rows = out
        .trim()
        .split('\n')
        .map((line) => line.split(' '))
      expect(rows).toEqual(
        [
          ['default', 'Active'],
          [`${system}-node-lease`, 'Active'],
          [`${system}-public`, 'Active'],
          [`${system}-system`, 'Active'],
        ].sort((a, b) => (a[0]! < b[0]! ? -1 : 1)),
      )
    })

    test('create, get, label, annotate, patch, replace and delete a config map', async () => {
      expect(
        await kubectl.ok('create', 'configmap', 'c1', '--from-literal=a=1', '--from-literal=b=2'),
      ).toBe('configmap/c1 created\n')
      const wide = (await kubectl.ok('get', 'cm', 'c1', '-o', 'wide')).split('\n')
      expect(wide[0]).toBe('NAME   DATA   AGE')
      expect(wide[1]?.split(/\s+/).slice(0, 2)).toEqual(['c1', '2'])
      const object = JSON.parse(await kubectl.ok('get', 'cm', 'c1', '-o', 'json'))
      expect(object.data).toEqual({ a: '1', b: '2' })
      expect(await kubectl.ok('get', 'cm', 'c1', '-o', 'yaml')).toContain(
        'data:\n  a: "1"\n  b: "2"\nkind: ConfigMap\n',
      )
      expect(await kubectl.ok('label', 'cm', 'c1', 'tier=front')).toBe('configmap/c1 labeled\n')
      expect(await kubectl.ok('annotate', 'cm', 'c1', 'note=hello')).toBe(
        'configmap/c1 annotated\n',
      )
      expect(await kubectl.ok('get', 'cm', '-l', 'tier=front', '-o', 'name')).toBe('configmap/c1\n')
      expect(
        await kubectl.ok('patch', 'cm', 'c1', '--type', 'merge', '-p', '{"data":{"a":"9"}}'),
      ).toBe('configmap/c1 patched\n')
      expect(
        await kubectl.ok(
          'patch',
          'cm',
          'c1',
          '--type',
          'json',
          '-p',
          '[{"op":"remove","path":"/data/b"}]',
        ),
      ).toBe('configmap/c1 patched\n')
      const path = join(kubectl.home, 'c1.json')
      const live = JSON.parse(await kubectl.ok('get', 'cm', 'c1', '-o', 'json'))
      expect(live.data).toEqual({ a: '9' })
      live.data = { z: '26' }
      await writeFile(path, JSON.stringify(live))
      expect(await kubectl.ok('replace', '-f', path)).toBe('configmap/c1 replaced\n')
      expect(await kubectl.ok('get', 'cm', 'c1', '-o', 'jsonpath={.data}')).toBe('{"z":"26"}')
      // The same file again is out of date.
      const stale = await kubectl.run(['replace', '-f', path])
      expect(stale.code).toBe(1)
      expect(stale.stderr).toContain(
        'Operation cannot be fulfilled on configmaps "c1": the object has been modified; please apply your changes to the latest version and try again',
      )
      expect(await kubectl.ok('delete', 'cm', 'c1')).toBe('configmap "c1" deleted\n')
      const gone = await kubectl.run(['get', 'cm', 'c1'])
      expect(gone).toEqual({
        code: 1,
        stdout: '',
        stderr: 'Error from server (NotFound): configmaps "c1" not found\n',
      })
    })

    test('create a secret', async () => {
      expect(
        await kubectl.ok('create', 'secret', 'generic', 's1', '--from-literal=password=x'),
      ).toBe('secret/s1 created\n')
      const row = (await kubectl.ok('get', 'secret', 's1', '--no-headers')).split(/\s+/)
      expect(row.slice(0, 3)).toEqual(['s1', 'Opaque', '1'])
      expect(
        await kubectl.ok('get', 'secret', 's1', '-o', 'jsonpath={.type} {.data.password}'),
      ).toBe('Opaque eA==')
    })

    test('get -w sees what another creates', async () => {
      const watch = kubectl.start([
        'get',
        'cm',
        '-n',
        'default',
        '-w',
        '-o',
        'name',
        '--watch-only',
      ])
      let seen = ''
      const found = new Promise<void>((resolve) => {
        watch.stdout!.on('data', (data: Buffer) => {
          seen += data.toString()
          if (seen.includes('configmap/last\n')) resolve()
        })
      })
      // The watch has started when it shows what was made after it; make until then.
      let n = 0
      let shown = false
      void found.then(() => (shown = true))
      while (!seen.includes('configmap/probe-')) await kubectl.ok('create', 'cm', `probe-${n++}`)
      await kubectl.ok('create', 'cm', 'last')
      await found
      expect(shown).toBe(true)
      watch.kill()
    })

    test('tables of several kinds, wide, of all namespaces, with columns of the user', async () => {
      await kubectl.ok('create', 'deployment', 'web', '--image=nginx', '--replicas=2')
      const rows = async (...args: string[]) =>
        (await kubectl.ok(...args)).split('\n').map((line) => line.trim().split(/\s{2,}/))
      const [head, row] = await rows('get', 'deploy', 'web', '-o', 'wide')
      expect(head).toEqual(
        'NAME READY UP-TO-DATE AVAILABLE AGE CONTAINERS IMAGES SELECTOR'.split(' '),
      )
      expect(row!.filter((_, i) => i !== 4)).toEqual([
        'web',
        '0/2',
        '0',
        '0',
        'nginx',
        'nginx',
        'app=web',
      ])
      const all = await rows('get', 'deploy,svc', '-A')
      expect(all.map((cells) => cells.slice(0, 4))).toEqual([
        ['NAMESPACE', 'NAME', 'READY', 'UP-TO-DATE'],
        ['default', 'deployment.apps/web', '0/2', '0'],
        [''],
        ['NAMESPACE', 'NAME', 'TYPE', 'CLUSTER-IP'],
        ['default', `service/${vocabulary}`, 'ClusterIP', '10.0.0.1'],
        [''],
      ])
      const columns = 'custom-columns=WHO:.metadata.name,MANY:.spec.replicas'
      expect(await rows('get', 'deploy', '-o', columns)).toEqual([
        ['WHO', 'MANY'],
        ['web', '2'],
        [''],
      ])
      await kubectl.ok('delete', 'deployment', 'web')
    })

    test('get -w shows rows below one head', async () => {
      await kubectl.ok('create', 'cm', 'seen')
      const watch = kubectl.start(['get', 'cm', 'seen', '-w'])
      let shown = ''
      const lines = (count: number) =>
        new Promise<string[][]>((resolve) => {
          const look = () => {
            const found = shown.split('\n').slice(0, -1)
            if (found.length >= count) resolve(found.map((line) => line.split(/\s+/).slice(0, 2)))
          }
          watch.stdout!.on('data', look)
          look()
        })
      watch.stdout!.on('data', (data: Buffer) => (shown += data.toString()))
      expect(await lines(2)).toEqual([
        ['NAME', 'DATA'],
        ['seen', '0'],
      ])
      await kubectl.ok('patch', 'cm', 'seen', '-p', '{"data":{"a":"1"}}')
      expect((await lines(3)).at(-1)).toEqual(['seen', '1'])
      watch.kill()
    })

    test('explain knows every kind, with all its fields', async () => {
      const lines = (await kubectl.ok('api-resources', '--no-headers')).trim().split('\n')
      expect(lines.length).toBeGreaterThan(50)
      for (const line of lines) {
        const cells = line.split(/\s+/)
        const [version, , kind] = cells.slice(-3)
        const args = [cells[0]!, '--recursive', `--api-version=${version}`]
        const out = await kubectl.ok('explain', ...args)
        expect(out.split('\n').slice(0, 2)).toEqual([`KIND:     ${kind}`, `VERSION:  ${version}`])
        expect([kind, out]).toEqual([kind, expect.stringMatching(/\n {3}metadata\t<Object>\n/)])
      }
      const field = await kubectl.ok('explain', 'storageclass.volumeBindingMode')
      expect(field).toMatch(`KIND:     StorageClass\nVERSION:  ${storage}/v1\n`)
    }, 120_000)

    test('dry runs on the server change nothing', async () => {
      await kubectl.ok('create', 'cm', 'dry')
      const dry = '--dry-run=server'
      expect([
        await kubectl.ok('create', 'cm', 'other', dry),
        await kubectl.ok('label', 'cm', 'dry', 'a=b', dry),
        await kubectl.ok('annotate', 'cm', 'dry', 'a=b', dry),
        await kubectl.ok('patch', 'cm', 'dry', '-p', '{"data":{"a":"1"}}', dry),
        await kubectl.ok('delete', 'cm', 'dry', dry),
      ]).toEqual([
        'configmap/other created (server dry run)\n',
        'configmap/dry labeled\n',
        'configmap/dry annotated (server dry run)\n',
        'configmap/dry patched\n',
        'configmap "dry" deleted (server dry run)\n',
      ])
      const found = await kubectl.ok(
        'get',
        'cm',
        'dry',
        'other',
        '--ignore-not-found',
        '-o',
        'name',
      )
      expect(found).toBe('configmap/dry\n')
      const live = JSON.parse(await kubectl.ok('get', 'cm', 'dry', '-o', 'json'))
      expect([live.data, live.metadata.labels]).toEqual([undefined, undefined])
    })

    test('apply, diff, server-side apply, scale, rollout and wait', async () => {
      const path = join(kubectl.home, 'app.json')
      const write = (image: string) =>
        writeFile(
          path,
          JSON.stringify({
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { name: 'app' },
            spec: {
              selector: { matchLabels: { app: 'app' } },
              template: {
                metadata: { labels: { app: 'app' } },
                spec: {
                  containers: [
                    { name: 'one', image },
                    { name: 'two', image: 'other' },
                  ],
                },
              },
            },
          }),
        )
      await write('first')
      expect(await kubectl.ok('apply', '-f', path)).toBe('deployment.apps/app created\n')
      expect(await kubectl.ok('diff', '-f', path)).toBe('')
      await write('second')
      for (const more of [[], ['--server-side', '--force-conflicts']]) {
        const changes = await kubectl.run(['diff', '-f', path, ...more])
        const lines = changes.stdout.split('\n').filter((line) => /^[-+] +- image/.test(line))
        expect([changes.code, lines]).toEqual([
          1,
          ['-      - image: first', '+      - image: second'],
        ])
      }
      expect([
        await kubectl.ok('apply', '-f', path, '--dry-run=server'),
        await kubectl.ok('apply', '-f', path),
        await kubectl.ok('apply', '--server-side', '-f', path, '--force-conflicts'),
        await kubectl.ok('scale', 'deploy', 'app', '--replicas=3'),
        await kubectl.ok('rollout', 'restart', 'deploy/app'),
        await kubectl.ok('rollout', 'pause', 'deploy/app'),
        await kubectl.ok('set', 'image', 'deploy/app', 'one=third'),
        await kubectl.ok(
          'wait',
          '--for=jsonpath={.spec.replicas}=3',
          'deploy/app',
          '--timeout=30s',
        ),
      ]).toEqual([
        'deployment.apps/app configured (server dry run)\n',
        'deployment.apps/app configured\n',
        'deployment.apps/app serverside-applied\n',
        'deployment.apps/app scaled\n',
        'deployment.apps/app restarted\n',
        'deployment.apps/app paused\n',
        'deployment.apps/app image updated\n',
        'deployment.apps/app condition met\n',
      ])
      // A strategic merge finds list items by their names.
      const images = 'jsonpath={.spec.template.spec.containers[*].image}'
      expect(await kubectl.ok('get', 'deploy', 'app', '-o', images)).toBe('third other')
      expect(await kubectl.ok('delete', 'deploy', 'app', '--wait')).toBe(
        'deployment.apps "app" deleted\n',
      )
    }, 60_000)

    test('get -A --chunk-size=2 walks all pages', async () => {
      for (const name of ['p1', 'p2', 'p3', 'p4', 'p5']) {
        await kubectl.ok('create', 'configmap', name, '-n', `${system}-public`)
      }
      const out = await kubectl.ok('get', 'cm', '-A', '--chunk-size=2', '-o', 'name')
      for (const name of ['p1', 'p2', 'p3', 'p4', 'p5'])
        expect(out).toContain(`configmap/${name}\n`)
    })

    test('a kind of users is waited for, and then is like any other', async () => {
      const definition = {
        apiVersion: `apiextensions.${vocabulary === 'orch' ? 'orch.io' : 'k8s.io'}/v1`,
        kind: 'CustomResourceDefinition',
        metadata: { name: 'things.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural: 'things', kind: 'Thing', shortNames: ['thg'] },
          versions: [THINGS],
        },
      }
      const apply = async (object: object) =>
        (await kubectl.run(['apply', '-f', '-'], JSON.stringify(object))).stdout
      expect(await apply(definition)).toContain('/things.example.com created\n')
      const crd = 'crd/things.example.com'
      await kubectl.ok('wait', crd, '--for=condition=Established', '--timeout=20s')
      expect(await kubectl.ok('api-resources', '--api-group=example.com', '--no-headers')).toMatch(
        /^things +thg +example.com\/v1 +true +Thing\n$/,
      )
      expect(await kubectl.ok('explain', 'things.spec.size')).toContain('How large it is.')
      const thing = (size: number) => ({
        apiVersion: 'example.com/v1',
        kind: 'Thing',
        metadata: { name: 'a' },
        spec: { size },
      })
      expect(await apply(thing(1))).toBe('thing.example.com/a created\n')
      expect(await apply(thing(1))).toBe('thing.example.com/a unchanged\n')
      expect(await apply(thing(2))).toBe('thing.example.com/a configured\n')
      expect(await kubectl.ok('get', 'thg')).toBe('NAME   SIZE\na      2\n')
      await kubectl.ok('patch', 'thing', 'a', '--type=merge', '-p', '{"spec":{"size":3}}')
      await kubectl.ok('scale', 'thing', 'a', '--replicas=4')
      expect(await kubectl.ok('get', 'thing', 'a', '-o', 'jsonpath={.spec}')).toBe(
        '{"replicas":4,"size":3}',
      )
      const wrong = JSON.stringify({ ...thing(1), spec: { size: 'x', other: 1 } })
      const refused = await kubectl.run(['apply', '--validate=false', '-f', '-'], wrong)
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringContaining(
          'The Thing "a" is invalid: spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
        ),
      ])
      await kubectl.ok('delete', crd, '--wait')
      // It remembers what it discovered.
      expect((await kubectl.run(['get', 'things'])).stderr).toContain(
        'the server could not find the requested resource',
      )
    })

    test('get --raw reads metrics', async () => {
      const families = parseExposition(await kubectl.ok('get', '--raw', '/metrics'))
      expect(families.get('process_cpu_seconds_total')?.type).toBe('counter')
      expect(families.get(`${vocabulary}_build_info`)?.samples.length).toBe(1)
    })

    test('get --raw reads health', async () => {
      const out = await kubectl.ok('get', '--raw', '/readyz?verbose')
      const lines = out.trim().split('\n')
      expect(lines.slice(0, 3)).toEqual(['[+]ping ok', '[+]log ok', '[+]etcd ok'])
      expect(lines).toContain(`[+]poststarthook/start-${system}-apiserver-admission-initializer ok`)
      expect(lines.slice(-2)).toEqual(['[+]shutdown ok', 'readyz check passed'])
    })

    test('an object in an absent namespace is refused', async () => {
      const outcome = await kubectl.run(['create', 'configmap', 'x', '-n', 'nowhere'])
      expect(outcome.stderr).toBe(
        'error: failed to create configmap: namespaces "nowhere" not found\n',
      )
    })
  })
}
