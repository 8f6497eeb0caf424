/** kubectl's commands that make and change objects, each against a real server (vocabulary of existing clients). */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { issue } from '../../src/pki/issue.ts'
import { Kubectl } from './kubectl.ts'

let server: RunningServer
let kubectl: Kubectl

beforeAll(async () => {
  server = await startServer({ vocabulary: 'kubernetes' })
  kubectl = await Kubectl.for(server.kubeconfig)
})
afterAll(async () => {
  await kubectl.close()
  await server.close()
})

describe('create of every sort', () => {
  for (const [what, args] of [
    ['clusterrole', 'clusterrole cr --verb=get --resource=pods'],
    ['clusterrolebinding', 'clusterrolebinding crb --clusterrole=cr --user=u'],
    ['configmap', 'configmap cm --from-literal=a=b'],
    ['cronjob', 'cronjob cj --image=i --schedule=*/1\\s*\\s*\\s*\\s* -- date'],
    ['deployment', 'deployment dep --image=i --replicas=2 --port=80'],
    ['ingress', 'ingress ing --rule=foo.example/*=svc:80,tls=cert'],
    ['job', 'job j --image=i -- date'],
    ['job', 'job j2 --from=cronjob/cj'],
    ['namespace', 'namespace ns'],
    ['poddisruptionbudget', 'pdb pdb --selector=app=dep --min-available=1'],
    ['priorityclass', 'priorityclass pc --value=100'],
    ['quota', 'quota q --hard=pods=5'],
    ['role', 'role r --verb=get --resource=pods,deployments.apps'],
    ['rolebinding', 'rolebinding rb --role=r --serviceaccount=default:sa'],
    ['secret generic', 'secret generic s --from-literal=a=b'],
    [
      'secret docker-registry',
      'secret docker-registry sd --docker-server=s --docker-username=u --docker-password=p',
    ],
    ['service clusterip', 'service clusterip svc --tcp=80:8080'],
    ['service nodeport', 'service nodeport svcn --tcp=80:8080'],
    ['service loadbalancer', 'service loadbalancer svcl --tcp=80:8080'],
    ['service externalname', 'service externalname svce --external-name=foo.example --tcp=80'],
    ['serviceaccount', 'serviceaccount sa'],
  ] as const) {
    test(`${what}: ${args}`, async () => {
      const words = args.split(' ').map((word) => word.replaceAll('\\s', ' '))
      expect(await kubectl.ok('create', ...words)).toMatch(/ created\n$/)
    })
  }

  test('secret tls', async () => {
    const now = Date.now()
    const { cert, key } = issue({
      subject: { commonName: 'shop.example' },
      notBeforeMs: now - 60_000,
      notAfterMs: now + 3_600_000,
      use: 'authority',
    })
    await writeFile(join(kubectl.home, 'tls.crt'), cert)
    await writeFile(join(kubectl.home, 'tls.key'), key)
    expect(
      await kubectl.ok('create', 'secret', 'tls', 'st', '--cert=tls.crt', '--key=tls.key'),
    ).toBe('secret/st created\n')
  })

  test('token', async () => {
    const token = await kubectl.ok('create', 'token', 'sa', '--duration=1h')
    expect(token.trim().split('.')).toHaveLength(3)
  })

  test('run', async () => {
    expect(await kubectl.ok('run', 'one', '--image=i', '--port=80', '--labels=app=one')).toBe(
      'pod/one created\n',
    )
  })
})

describe('changes', () => {
  const get = (path: string, ...what: string[]) =>
    kubectl.ok('get', ...what, '-o', `jsonpath=${path}`)

  test('scale, with and without a condition', async () => {
    await kubectl.ok('scale', 'deployment/dep', '--replicas=4')
    expect(await get('{.spec.replicas}', 'deploy/dep')).toBe('4')
    const refused = await kubectl.run([
      'scale',
      'deployment/dep',
      '--current-replicas=1',
      '--replicas=2',
    ])
    expect(refused.stderr).toContain('Expected replicas to be 1, was 4')
  })
  test('autoscale', async () => {
    expect(
      await kubectl.ok('autoscale', 'deployment/dep', '--min=2', '--max=5', '--cpu-percent=70'),
    ).toContain('autoscaled')
    expect(await get('{.spec.metrics[0].resource.target.averageUtilization}', 'hpa/dep')).toBe('70')
    const out = await kubectl.ok(
      'get',
      'hpa.v1.autoscaling',
      'dep',
      '-o',
      'jsonpath={.spec.targetCPUUtilizationPercentage}',
    )
    expect(out).toBe('70')
  })
  test('expose', async () => {
    expect(await kubectl.ok('expose', 'deployment/dep', '--port=80', '--name=exposed')).toBe(
      'service/exposed exposed\n',
    )
    expect(await get('{.spec.clusterIP}', 'svc/exposed')).toMatch(/^10\.0\.\d+\.\d+$/)
  })
  test('set image, env and resources', async () => {
    await kubectl.ok('set', 'image', 'deployment/dep', '*=registry.example/new:2')
    expect(await get('{.spec.template.spec.containers[0].image}', 'deploy/dep')).toBe(
      'registry.example/new:2',
    )
    await kubectl.ok('set', 'env', 'deployment/dep', 'A=1')
    await kubectl.ok('set', 'resources', 'deployment/dep', '--limits=cpu=1')
    expect(
      await get(
        '{.spec.template.spec.containers[0].env[0].value}{.spec.template.spec.containers[0].resources.limits.cpu}',
        'deploy/dep',
      ),
    ).toBe('11')
  })
  test('rollout history, status, pause, restart', async () => {
    expect(await kubectl.ok('rollout', 'history', 'deployment/dep')).toContain(
      'deployment.apps/dep',
    )
    expect(await kubectl.ok('rollout', 'pause', 'deployment/dep')).toContain('paused')
    expect(await kubectl.ok('rollout', 'resume', 'deployment/dep')).toContain('resumed')
    expect(await kubectl.ok('rollout', 'restart', 'deployment/dep')).toContain('restarted')
  })
  test('label and annotate', async () => {
    expect(await kubectl.ok('label', 'pod', 'one', 'tier=front', '--overwrite')).toBe(
      'pod/one labeled\n',
    )
    expect(await kubectl.ok('annotate', 'pod', 'one', 'a=b')).toBe('pod/one annotated\n')
    expect(await get('{.metadata.labels.tier}', 'pod/one')).toBe('front')
  })
  test('taint, cordon, uncordon, drain', async () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }
    await kubectl.run(['create', '-f', '-'], JSON.stringify(node))
    expect(await kubectl.ok('taint', 'node', 'n1', 'k=v:NoSchedule')).toBe('node/n1 tainted\n')
    expect(await kubectl.ok('cordon', 'n1')).toBe('node/n1 cordoned\n')
    expect(await get('{.spec.unschedulable}', 'node/n1')).toBe('true')
    expect(await kubectl.ok('uncordon', 'n1')).toBe('node/n1 uncordoned\n')
    expect(await kubectl.ok('drain', 'n1')).toContain('drained')
  })
  test('patch in its three forms', async () => {
    await kubectl.ok(
      'patch',
      'deploy',
      'dep',
      '--type=strategic',
      '-p',
      '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"j"}]}}}}',
    )
    expect(
      (await get('{.spec.template.spec.containers[*].name}', 'deploy/dep')).split(' ').sort(),
    ).toEqual(['i', 'side'])
    await kubectl.ok(
      'patch',
      'deploy',
      'dep',
      '--type=merge',
      '-p',
      '{"metadata":{"labels":{"m":"1"}}}',
    )
    await kubectl.ok(
      'patch',
      'deploy',
      'dep',
      '--type=json',
      '-p',
      '[{"op":"remove","path":"/metadata/labels/m"}]',
    )
    expect(await get('{.metadata.labels.m}', 'deploy/dep')).toBe('')
  })
  test('replace, get -o wide of every kind, describe', async () => {
    const text = await kubectl.ok('get', 'deploy', 'dep', '-o', 'json')
    expect((await kubectl.run(['replace', '-f', '-'], text)).stdout).toBe(
      'deployment.apps/dep replaced\n',
    )
    expect(await kubectl.ok('get', 'all', '-o', 'wide')).toContain('deployment.apps/dep')
    expect(await kubectl.ok('describe', 'deploy', 'dep')).toContain('RollingUpdate')
    expect(await kubectl.ok('describe', 'svc', 'exposed')).toContain('ClusterIP')
  })
  test('auth can-i', async () => {
    expect((await kubectl.run(['auth', 'can-i', 'create', 'pods'])).stdout).toBe('yes\n')
  })
})

describe('explain', () => {
  test('of every kind, with all fields', async () => {
    const rows = (await kubectl.ok('api-resources', '--no-headers')).trim().split('\n')
    const queue = rows.map((row) => {
      const words = row.trim().split(/\s+/)
      return { name: words[0]!, version: words.at(-3)! }
    })
    expect(queue.length).toBeGreaterThan(50)
    const problems: string[] = []
    const work = async () => {
      for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
        const { name, version } = one
        const args = ['explain', name, '--recursive', `--api-version=${version}`]
        const { code, stdout, stderr } = await kubectl.run(args)
        if (code !== 0 || !/KIND: .*\nVERSION: .*\n\nDESCRIPTION:\n {5}(?!<empty>)/.test(stdout))
          problems.push(`${name}: ${stderr}${stdout.slice(0, 200)}`)
      }
    }
    await Promise.all([work(), work(), work()])
    expect(problems).toEqual([])
  })
  test('of one field', async () => {
    const out = await kubectl.ok('explain', 'deployment.spec.strategy.rollingUpdate.maxSurge')
    expect(out).toMatch(/FIELD: {4}maxSurge <string>\n\nDESCRIPTION:\n {5}\S/)
  })
})
