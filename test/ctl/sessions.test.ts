/** Commands that talk to containers, through a real server to a node agent's stand-in. */
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import { CHANGING_PLUGINS } from '../plain-objects.ts'
import { Agent } from './agent.fixture.ts'
import { ConnectProxy } from './connect-proxy.fixture.ts'
import { Ctl } from './run.ts'

/** Loopback addresses are never proxied to, so another one of this machine is needed. */
const address = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

const UNENDED =
  'Warning: the node agent cannot be told that the input has ended: a command that waits for its end goes on until it is interrupted\n'

describe.skipIf(address === undefined)('containers (needs an address besides loopback)', () => {
  let server: RunningServer
  let client: Client
  let agent: Agent
  let ctl: Ctl
  let echo: Server
  beforeAll(async () => {
    agent = await Agent.start(address!)
    echo = createServer((socket) => socket.pipe(socket))
    echo.listen(0, '127.0.0.1')
    await once(echo, 'listening')
    server = await startServer({
      vocabulary: 'kubernetes',
      agentTls: agent.tls,
      controllers: false,
      disableAdmissionPlugins: CHANGING_PLUGINS,
    })
    client = new Client(server)
    ctl = await Ctl.for(server.kubeconfig)
    const echoPort = (echo.address() as AddressInfo).port
    const NS = '/api/v1/namespaces/default'
    const pod = (name: string, containers: object[], annotations = {}) =>
      client.post(`${NS}/pods`, {
        metadata: { name, labels: { app: 'web' }, annotations },
        spec: { nodeName: 'n1', containers },
      })
    const made = [
      await client.post('/api/v1/nodes', { metadata: { name: 'n1' } }),
      await client.merge('/api/v1/nodes/n1/status', {
        status: {
          addresses: [{ type: 'InternalIP', address }],
          daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
        },
      }),
      await pod('one', [
        { name: 'main', image: 'i', ports: [{ name: 'echo', containerPort: echoPort }] },
      ]),
      await pod('two', [
        { name: 'a', image: 'i' },
        { name: 'b', image: 'i' },
      ]),
      await pod(
        'annotated',
        [
          { name: 'a', image: 'i' },
          { name: 'b', image: 'i' },
        ],
        { 'kubectl.kubernetes.io/default-container': 'b' },
      ),
      await pod('refused', [{ name: 'main', image: 'i' }]),
      await pod('done', [{ name: 'main', image: 'i' }]),
      await client.post(`${NS}/services`, {
        metadata: { name: 'web' },
        spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'echo' }] },
      }),
    ]
    for (const name of ['one', 'refused'])
      made.push(await client.merge(`${NS}/pods/${name}/status`, { status: { phase: 'Running' } }))
    made.push(await client.merge(`${NS}/pods/done/status`, { status: { phase: 'Succeeded' } }))
    for (const { status, text } of made) expect(status, text).toBeLessThan(300)
    agent.logs.set('main', 'first\nsecond\n')
    agent.logs.set('a', 'of a\n')
    agent.logs.set('b', 'of b\nwithout an end')
  })
  afterAll(async () => {
    client.close()
    await ctl.close()
    await server.close()
    agent.close()
    echo.close()
  })
  beforeEach(() => {
    agent.seen.length = 0
    agent.protocols = ['v4.channel.k8s.io']
  })

  describe('what is shown, and what the agent is asked for', () => {
    const rows: {
      args: string[]
      input?: string
      protocols?: string[]
      code?: number
      stdout?: string
      stderr?: string
      seen?: string[]
    }[] = [
      {
        args: ['logs', 'one', '--tail=5', '--timestamps', '--since=90s', '-p'],
        stdout: 'first\nsecond\n',
        seen: [
          '/containerLogs/default/one/main?previous=true&sinceSeconds=90&tailLines=5&timestamps=true',
        ],
      },
      {
        args: ['logs', 'two', '--all-containers', '--prefix'],
        stdout: '[pod/two/a] of a\n[pod/two/b] of b\n[pod/two/b] without an end',
        seen: ['/containerLogs/default/two/a', '/containerLogs/default/two/b'],
      },
      {
        args: ['logs', 'two'],
        stdout: 'of a\n',
        stderr: 'Defaulted container "a" out of: a, b\n',
        seen: ['/containerLogs/default/two/a'],
      },
      {
        args: ['logs', 'annotated'],
        stdout: 'of b\nwithout an end',
        seen: ['/containerLogs/default/annotated/b'],
      },
      {
        args: ['logs', '-f', 'pod/two', 'b'],
        stdout: 'of b\nwithout an end',
        seen: ['/containerLogs/default/two/b?follow=true'],
      },
      {
        args: ['logs', 'two', '-c', 'c'],
        code: 1,
        stderr: 'error: container c is not valid for pod two\n',
      },
      {
        args: ['logs', 'none'],
        code: 1,
        stderr: 'Error from server (NotFound): pods "none" not found\n',
      },
      {
        args: ['exec', 'one', '--', 'sh', '-c', 'echo out; echo err >&2'],
        stdout: 'out\n',
        stderr: 'err\n',
        seen: [
          '/exec/default/one/main?output=1&error=1&command=sh&command=-c&command=echo+out%3B+echo+err+%3E%262',
        ],
      },
      {
        args: ['exec', 'one', '--', 'sh', '-c', 'exit 7'],
        code: 7,
        stderr: 'command terminated with exit code 7\n',
      },
      {
        args: ['exec', 'one', '--', '/no/such/program'],
        code: 1,
        stderr: 'error: spawn /no/such/program ENOENT\n',
      },
      {
        args: ['exec', '-i', 'one', '--', 'head', '-c', '4'],
        input: 'text and more',
        stdout: 'text',
        stderr: UNENDED,
      },
      {
        args: ['exec', '-i', 'one', '--', 'wc', '-c'],
        protocols: ['v5.channel.k8s.io', 'v4.channel.k8s.io'],
        input: 'x'.repeat(200_000),
        stdout: '200000\n',
      },
      {
        args: ['exec', 'one', '--', 'head', '-c', '3000000', '/dev/zero'],
        stdout: '\0'.repeat(3_000_000),
      },
      {
        args: ['exec', 'one', 'true'],
        stderr:
          'orchctl exec [POD] [COMMAND] is DEPRECATED and will be removed in a future version. Use orchctl exec [POD] -- [COMMAND] instead.\n',
      },
      {
        args: ['exec', 'done', '--', 'true'],
        code: 1,
        stderr:
          'error: cannot exec into a container in a completed pod; current phase is Succeeded\n',
      },
      {
        args: ['exec', 'refused', '--', 'true'],
        code: 1,
        stderr: 'error: unable to upgrade connection: container not found ("refused")\n',
      },
      {
        args: ['exec', 'one', '--as', 'nobody', '--', 'true'],
        code: 1,
        stderr:
          'Error from server (Forbidden): pods "one" is forbidden: User "nobody" cannot get resource "pods" in API group "" in the namespace "default"\n',
      },
      {
        args: ['attach', '-i', 'one'],
        protocols: ['v5.channel.k8s.io'],
        input: 'echoed',
        stdout: 'echoed',
        stderr: "If you don't see a command prompt, try pressing enter.\n",
        seen: ['/attach/default/one/main?input=1&output=1&error=1'],
      },
      {
        args: ['port-forward', 'two', '80'],
        code: 1,
        stderr:
          'error: unable to forward port because pod is not running. Current status=Pending\n',
      },
    ]
    for (const { args, input = '', protocols, code = 0, stdout = '', stderr = '', seen } of rows) {
      test(args.join(' '), async () => {
        if (protocols) agent.protocols = protocols
        const outcome = await ctl.run(args, { input })
        expect(outcome).toEqual({ code, stdout, stderr })
        if (seen) expect(agent.seen.map(sorted)).toEqual(seen.map(sorted))
      })
    }
  })

  test('a terminal, whose size the container learns', async () => {
    agent.protocols = ['v5.channel.k8s.io']
    const terminal = { columns: 100, rows: 40 }
    const args = ['attach', '-it', 'one', '-q']
    expect(await ctl.run(args, { input: 'typed\n', terminal })).toEqual({
      code: 0,
      stdout: 'size {"Width":100,"Height":40}\ntyped\n',
      stderr: '',
    })
    expect(agent.seen.map(sorted)).toEqual(['/attach/default/one/main?input=1&output=1&tty=1'])
  })

  test('through a proxy', async () => {
    const proxy = await ConnectProxy.start(Number(new URL(server.url).port))
    const kubeconfig = server.kubeconfig.replace(/( +)server: .*/, `$&\n$1proxy-url: ${proxy.host}`)
    const other = await Ctl.for(kubeconfig)
    expect(await other.ok('exec', 'one', '--', 'echo', 'here')).toBe('here\n')
    const { host } = new URL(server.url)
    // One for requests, one for the session.
    expect(proxy.seen).toEqual([`${host} allowed`, `${host} allowed`])
    await other.close()
    proxy.close()
  })

  describe('cp', () => {
    for (const protocols of [['v4.channel.k8s.io'], ['v5.channel.k8s.io']]) {
      test(`there and back over ${protocols.join()}`, async () => {
        agent.protocols = protocols
        const [here, there] = [protocols[0]!, join(ctl.home, `there-${protocols[0]}`)]
        mkdirSync(join(ctl.home, here, 'sub'), { recursive: true })
        mkdirSync(there)
        const data = Buffer.alloc(3_000_000, 'data ')
        writeFileSync(join(ctl.home, here, 'sub', 'large'), data)
        expect(await ctl.ok('cp', here, `default/one:${there}/other`)).toBe('')
        expect(readFileSync(join(there, 'other/sub/large')).equals(data)).toBe(true)
        expect(await ctl.ok('cp', `one:${there}/other/sub/large`, `${here}-back`)).toBe('')
        expect(readFileSync(join(ctl.home, `${here}-back`)).equals(data)).toBe(true)
      })
    }
    for (const { args, code, stderr } of [
      {
        args: ['cp', 'missing', 'one:/tmp'],
        code: 1,
        stderr: /^error: missing doesn't exist in local filesystem\n$/,
      },
      { args: ['cp', 'one:/no/such', 'x'], code: 2, stderr: /No such file or directory/ },
      {
        args: ['cp', 'a', 'b'],
        code: 1,
        stderr: /^error: one of src or dest must be a remote file specification\n$/,
      },
    ]) {
      test(args.join(' '), async () => {
        const outcome = await ctl.run(args)
        expect(outcome).toEqual({ code, stdout: '', stderr: expect.stringMatching(stderr) })
      })
    }
  })

  describe('port-forward', () => {
    for (const { target, port } of [
      { target: 'pod/one', port: 'echo' },
      { target: 'service/web', port: '80' },
    ]) {
      test(`${target} ${port}`, async () => {
        const ending = new AbortController()
        let said = ''
        const running = ctl.run(['port-forward', target, `:${port}`, '--address=127.0.0.1'], {
          signal: ending.signal,
          onOut: (all) => (said = all),
        })
        await expect
          .poll(() => said, { interval: 5 })
          .toMatch(/^Forwarding from 127\.0\.0\.1:\d+ -> \d+\n$/)
        const socket = connect(Number(/:(\d+) ->/.exec(said)![1]), '127.0.0.1')
        const data = Buffer.alloc(2_000_000, 'some bytes ')
        socket.write(data)
        const chunks: Buffer[] = []
        for await (const chunk of socket) {
          chunks.push(chunk as Buffer)
          if (chunks.reduce((sum, { length }) => sum + length, 0) >= data.length) break
        }
        expect(Buffer.concat(chunks).equals(data)).toBe(true)
        ending.abort()
        const { code, stderr } = await running
        expect([code, stderr]).toEqual([0, ''])
      })
    }
    test('a port that nobody listens on', async () => {
      const ending = new AbortController()
      let said = ''
      const running = ctl.run(['port-forward', 'one', ':1', '--address=127.0.0.1'], {
        signal: ending.signal,
        onOut: (all) => (said = all),
      })
      await expect.poll(() => said, { interval: 5 }).toContain('Forwarding')
      const socket = connect(Number(/:(\d+) ->/.exec(said)![1]), '127.0.0.1')
      socket.on('error', () => {})
      await once(socket, 'close')
      ending.abort()
      const { code, stderr } = await running
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(
          /^E portforward: an error occurred forwarding \d+ -> 1: connect ECONNREFUSED/,
        ),
      ])
    })
  })
})

/** A path with its parameters in order of their names; those of one name keep theirs. */
function sorted(url: string): string {
  const [path = '', query = ''] = url.split('?')
  const params = new URLSearchParams(query)
  params.sort()
  return `${path}?${params.toString()}`
}
