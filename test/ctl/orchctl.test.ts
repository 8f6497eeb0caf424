/** The command line in the product's own vocabulary, and what has no counterpart to compare with. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { commands } from '../../src/ctl/commands.ts'
import { issue } from '../../src/pki/issue.ts'
import { Ctl } from './run.ts'

let server: RunningServer
let ctl: Ctl
let expired: { readonly host: string; close(): void }
beforeAll(async () => {
  server = await startServer()
  await server.settled()
  ctl = await Ctl.for(server.kubeconfig)
  expired = await expiredServer(join(ctl.home, 'expired.pem'))
})
afterAll(async () => {
  expired.close()
  await ctl.close()
  await server.close()
})

/** A server whose certificate was good until an hour ago; writes that of its authority. */
async function expiredServer(path: string): Promise<typeof expired> {
  const from = { notBeforeMs: Date.now() - 7_200_000 }
  const subject = { commonName: 'x' }
  const authority = issue({
    ...from,
    ...{ notAfterMs: Date.now() + 3_600_000, subject, use: 'authority' as const },
  })
  const { cert, key } = issue({
    ...from,
    ...{ notAfterMs: Date.now() - 3_600_000, subject, use: 'server' as const },
    ...{ hosts: ['127.0.0.1'], issuer: authority },
  })
  writeFileSync(path, authority.cert)
  const other = createServer({ cert, key })
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  return {
    host: `127.0.0.1:${(other.address() as AddressInfo).port}`,
    close() {
      other.closeAllConnections()
      other.close()
    },
  }
}

test('objects carry the names of the server', async () => {
  writeFileSync(
    join(ctl.home, 'web.yaml'),
    `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: a}]}}
`,
  )
  expect(await ctl.ok('apply', '-f', 'web.yaml')).toBe('deployment.apps/web created\n')
  expect(await ctl.ok('apply', '-f', 'web.yaml')).toBe('deployment.apps/web unchanged\n')
  const web = JSON.parse(
    await ctl.ok('get', 'deploy', 'web', '-o', 'json', '--show-managed-fields'),
  )
  expect(Object.keys(web.metadata.annotations)).toContain('cli.orch.io/last-applied-configuration')
  expect(web.metadata.managedFields[0].manager).toBe('cli-client-side-apply')
  expect(await ctl.ok('create', 'role', 'r', '--verb=get', '--resource=pods')).toBe(
    'role.rbac.authorization.orch.io/r created\n',
  )
  expect((await ctl.ok('get', 'ns', 'orch-system')).split('\n')[0]).toBe(
    'NAME          STATUS   AGE',
  )
  expect(await ctl.ok('auth', 'can-i', 'create', 'pods')).toBe('yes\n')
  expect((await ctl.ok('auth', 'whoami')).split('\n')[1]).toMatch(/^Username {3,}orch-admin$/)
})

test('describe has the layout of the kind, and shows no values of secrets', async () => {
  const text = await ctl.ok('describe', 'deploy', 'web')
  expect(text.split('\n').map((line) => line.trim().split(':')[0])).toEqual(
    expect.arrayContaining(['Name', 'Namespace', 'Labels', 'Selector', 'Pod Template', 'Events']),
  )
  await ctl.ok('create', 'secret', 'generic', 's', '--from-literal=p=hidden')
  const secret = await ctl.ok('describe', 'secret', 's')
  expect(secret).toContain('6 bytes')
  expect(secret).not.toContain(Buffer.from('hidden').toString('base64'))
})

test('describe shows other kinds as they are declared', async () => {
  await ctl.run(['create', '-f', '-'], {
    input:
      'apiVersion: coordination.orch.io/v1\nkind: Lease\nmetadata: {name: l}\nspec: {renewTime: null, leaseTransitions: 2, holderIdentity: me}\n',
  })
  const text = await ctl.ok('describe', 'lease', 'l', '--show-events=false')
  const shown = text.replaceAll(/\d{4}-\S+Z/g, 'TIME').replace(/(UID: +).*/, '$1U')
  expect(shown.replace(/(Resource Version: +)\d+/, '$1N')).toBe(`Name:         l
Namespace:    default
Labels:       <none>
Annotations:  <none>
API Version:  coordination.orch.io/v1
Kind:         Lease
Metadata:
  Creation Timestamp:  TIME
  Resource Version:    N
  UID:                 U
Spec:
  Holder Identity:    me
  Lease Transitions:  2
`)
})

test('a watch shows what comes', async () => {
  const ending = new AbortController()
  let begun = () => {}
  let shown = ''
  const running = ctl.run(['get', 'cm', '-w', '-o', 'name'], {
    signal: ending.signal,
    onOut: (all) => {
      shown = all
      begun()
      if (all.includes('configmap/last\n')) ending.abort()
    },
  })
  await new Promise<void>((resolve) => (begun = resolve))
  await ctl.ok('create', 'cm', 'last')
  await running
  expect(shown).toContain('configmap/last\n')
})

describe('credentials are masked where requests are shown', () => {
  for (const { name, args, secret, shows } of [
    {
      name: 'a token in a header',
      args: ['get', 'ns', '--token=TOKEN'],
      secret: 'TOKEN',
      shows: 'authorization: Bearer <masked>',
    },
    {
      name: 'a name and a password in a header',
      args: ['get', 'ns', '--username=me', '--password=open-sesame'],
      secret: Buffer.from('me:open-sesame').toString('base64'),
      shows: 'authorization: Basic <masked>',
    },
    {
      name: 'a token in a body that gives it',
      args: ['create', 'token', 'default'],
      secret: '"token":"e',
      shows: '"token":"<masked>"',
    },
  ]) {
    test(name, async () => {
      const token = (await ctl.ok('create', 'token', 'default')).trim()
      const filled = args.map((arg) => arg.replace('TOKEN', token))
      const { stderr } = await ctl.run([...filled, '-v=9'])
      expect(stderr).toContain(shows)
      expect(stderr).not.toContain(secret.replace('TOKEN', token))
    })
  }
})

describe('what fails says what to do, in a line', () => {
  for (const { args, code = 1, stderr } of [
    {
      args: ['top', 'nodes'],
      stderr:
        'error: orchctl top is not supported: there is no metrics server whose figures it could show\n',
    },
    {
      args: ['get', 'ns', '-o', 'go-template={{.}}'],
      stderr:
        'error: the output format "go-template" is not supported: use -o jsonpath=\'{...}\' or -o custom-columns=NAME:.path instead\n',
    },
    {
      args: ['apply', '-k', '.'],
      stderr:
        'error: --kustomize is not supported: build the objects with the kustomize program and pass them with -f -\n',
    },
    {
      args: ['gett'],
      stderr: 'error: unknown command "gett" for "orchctl"\n\nDid you mean this?\n\tset\n\tget\n',
    },
    {
      args: ['get', 'ns', '-s', 'https://127.0.0.1:1'],
      stderr:
        'The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n',
    },
    {
      args: ['get', 'ns', '--context', 'none'],
      stderr: 'Error in configuration: context was not found for specified context: none\n',
    },
    {
      args: ['get', 'cm', '--as', 'nobody'],
      stderr:
        'Error from server (Forbidden): configmaps is forbidden: User "nobody" cannot list resource "configmaps" in API group "" in the namespace "default"\n',
    },
    {
      args: ['get', 'ns', '--wid'],
      stderr: "error: unknown flag: --wid\nSee 'orchctl get --help' for usage.\n",
    },
    {
      args: ['get', 'ns', '--chunk-size=many'],
      stderr:
        'error: invalid argument "many" for "--chunk-size" flag: strconv.ParseInt: parsing "many": invalid syntax\nSee \'orchctl get --help\' for usage.\n',
    },
    {
      args: ['create', 'secret', 'nothing'],
      stderr:
        'error: unknown command "nothing"\nSee \'orchctl create secret -h\' for help and examples\n',
    },
    {
      args: ['create', '-f', 'untyped.yaml'],
      stderr:
        'error: error validating "untyped.yaml": error validating data: [apiVersion not set, kind not set]; if you choose to ignore these errors, turn validation off with --validate=false\n',
    },
    {
      args: ['create', '-f', 'untyped.yaml', '--validate=false'],
      stderr:
        'error: unable to decode "untyped.yaml": Object \'Kind\' is missing in \'{"metadata":{"name":"a"}}\'\n',
    },
    {
      args: ['apply', '-f', 'broken.yaml'],
      stderr:
        'error: error parsing broken.yaml: error converting YAML to JSON: yaml: line 2: BROKEN\n',
    },
    {
      args: ['get', 'ns', '--kubeconfig', 'broken.yaml'],
      stderr: 'error: error loading config file "HOME/broken.yaml": yaml: line 2: BROKEN\n',
    },
    {
      args: ['get', 'ns', '--client-certificate=broken.yaml', '--client-key=broken.yaml'],
      stderr: 'error: the client certificate or its key cannot be read\n',
    },
    {
      args: ['get', 'ns', '--certificate-authority=broken.yaml'],
      stderr:
        'error: unable to load root certificates: certificate-authority holds no certificate\n',
    },
    {
      args: ['get', 'ns', '-s', 'https://EXPIRED', '--insecure-skip-tls-verify=false'],
      stderr:
        'Unable to connect to the server: x509: certificate has expired or is not yet valid\n',
    },
    {
      args: ['create', '-f', 'http://127.0.0.1/x.yaml'],
      stderr: 'error: objects are read over https only: http://127.0.0.1/x.yaml\n',
    },
    {
      args: ['get', 'ns', '--kubeconfig=.'],
      stderr: 'error: error loading config file "HOME": it is a folder\n',
    },
    {
      args: ['get', 'ns', '--as=a\r\nb: c'],
      stderr: 'error: --as has a control character, which no header may have\n',
    },
    {
      args: ['rollout', 'undo', 'ns/default'],
      stderr:
        'error: error retrieving rollbacker for "Namespace", no visitor method exists for { Namespace}\n',
    },
  ]) {
    test(args.join(' '), async () => {
      writeFileSync(join(ctl.home, 'broken.yaml'), 'a: [b\nc: }\n')
      writeFileSync(join(ctl.home, 'untyped.yaml'), 'metadata: {name: a}\n')
      const filled = args.map((arg) => arg.replace('EXPIRED', expired.host))
      const outcome = await ctl.run(
        args.at(-2)?.includes('EXPIRED')
          ? [...filled, '--certificate-authority=expired.pem']
          : filled,
      )
      const shown = outcome.stderr
        .replaceAll(ctl.home, 'HOME')
        .replace(/(yaml: line \d+: ).*/, '$1BROKEN')
      expect({ ...outcome, stderr: shown }).toEqual({ code, stdout: '', stderr })
    })
  }
})

describe('completion offers', () => {
  for (const { name, typed, offered, among = [] } of [
    {
      name: 'commands with what they do',
      typed: ['rollout', 're'],
      offered: ['restart\tRestart a resource', 'resume\tResume a paused resource'],
    },
    { name: 'words of commands alone', typed: ['create', 'con'], among: ['configmap\t'] },
    { name: 'what can be explained', typed: ['help', 'rollout', 'und'], among: ['undo\t'] },
    { name: 'types', typed: ['get', 'configm'], offered: ['configmaps'] },
    { name: 'types after types', typed: ['get', 'pods,configm'], offered: ['pods,configmaps'] },
    {
      name: 'types that a command is for',
      typed: ['rollout', 'pause', ''],
      offered: ['deployments'],
    },
    { name: 'no types that cannot be read', typed: ['get', 'tokenrev'], offered: [] },
    { name: 'names', typed: ['get', 'deploy', 'w'], offered: ['web'] },
    { name: 'names after a type and a slash', typed: ['get', 'deploy/w'], offered: ['deploy/web'] },
    { name: 'names once', typed: ['get', 'deploy', 'web', 'w'], offered: [] },
    { name: 'no names elsewhere', typed: ['-n', 'orch-system', 'get', 'deploy', 'w'], offered: [] },
    { name: 'nothing of who may read nothing', typed: ['--as=no', 'get', 'ns', ''], offered: [] },
    { name: 'namespaces', typed: ['get', 'cm', '-n', 'orch-s'], offered: ['orch-system'] },
    {
      name: 'values after an equals sign',
      typed: ['get', '--namespace=orch-s'],
      offered: ['--namespace=orch-system'],
    },
    { name: 'contexts', typed: ['config', 'use-context', 'orch'], among: ['orch-admin@'] },
    { name: 'one context', typed: ['config', 'use-context', 'a', ''], offered: [] },
    { name: 'users', typed: ['get', '--user', 'orch'], offered: ['orch-admin'] },
    {
      name: 'flags with what they do',
      typed: ['get', '--all'],
      among: ['--all-namespaces\tIf present', '--allow-missing-template-keys\t'],
    },
    { name: 'forms of output', typed: ['get', 'cm', '-o', 'js'], among: ['json', 'jsonpath='] },
    { name: 'kinds of patches', typed: ['patch', '--type', 'm'], offered: ['merge'] },
    { name: 'nothing for a flag that is not known', typed: ['get', '--nope=a'], offered: [] },
    { name: 'nothing for a command in a container', typed: ['exec', 'p', '--', 'l'], offered: [] },
    { name: 'verbs', typed: ['auth', 'can-i', 'deletec'], offered: ['deletecollection'] },
    { name: 'an empty word of an old shell', typed: ['completion', '""'], among: ['bash', 'zsh'] },
  ] as { name: string; typed: string[]; offered?: string[]; among?: string[] }[]) {
    test(name, async () => {
      const lines = (await ctl.ok('__complete', ...typed)).trimEnd().split('\n')
      expect(lines.pop()).toBe(':none')
      if (offered !== undefined) expect(lines).toEqual(offered)
      for (const start of among)
        expect(lines.filter((line) => line.startsWith(start))).not.toEqual([])
    })
  }

  test('files', async () => {
    for (const typed of [
      ['apply', '-f', ''],
      ['get', '--kubeconfig=/t'],
      ['cp', ''],
    ])
      expect(await ctl.ok('__complete', ...typed)).toBe(':files\n')
  })

  test('in four shells', async () => {
    for (const shell of ['bash', 'zsh', 'fish', 'powershell'])
      expect(await ctl.ok('completion', shell)).toContain('__complete')
  })
})

test('every command explains itself', async () => {
  for (const [path, { load, about }] of Object.entries(commands)) {
    const { code, stdout } = await ctl.run([
      ...path.split(' '),
      ...(path === '__complete' ? [] : ['--help']),
    ])
    expect({ path, code }).toEqual({ path, code: 0 })
    if (load && path !== '__complete') expect(stdout).toContain(`orchctl ${path}`)
    expect(about).not.toBe('')
  }
})
