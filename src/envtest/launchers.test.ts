/** The scripts, run by the shell. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { launchers } from './launchers.ts'

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'launch er’s ')))
afterAll(() => rmSync(dir, { recursive: true }))

/** A program that says its name and what it got. */
function program(path: string): string {
  mkdirSync(join(dir, path, '..'), { recursive: true })
  const file = join(dir, path)
  writeFileSync(file, `#!/bin/sh\necho ${path} "$@"\n`)
  chmodSync(file, 0o755)
  return file
}

function assets(name: string, own = join(dir, 'gone')): string {
  const folder = join(dir, name)
  mkdirSync(folder)
  const etcd = program(`${name}-etcd`)
  const programs = {
    apiserver: { runtime: ['/bin/sh'], program: join(dir, 'gone'), args: ['envtest-apiserver'] },
    etcd: { runtime: ['/bin/sh'], program: etcd, args: ["it's"] },
    client: { runtime: ['/bin/sh'], program: own, args: [] },
  }
  for (const [file, text] of launchers(programs))
    writeFileSync(join(folder, file), text, { mode: 0o755 })
  return folder
}

const run = (file: string, path: readonly string[], env = {}, args: readonly string[] = []) => {
  const PATH = [...path, '/usr/bin', '/bin'].join(':')
  const done = spawnSync(file, args, { env: { PATH, ...env }, encoding: 'utf8', cwd: dir })
  return { code: done.status, out: done.stdout, err: done.stderr }
}

const a = assets('a')
const b = assets('b', program('own'))

/** A folder with an interpreter that does as told. */
function interpreter(name: string, script: string): string {
  const folder = join(dir, name)
  mkdirSync(folder)
  writeFileSync(join(folder, 'perl'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return folder
}
const noInterpreter = interpreter('without', 'exit 2')
const withInterpreter = interpreter(
  'with',
  '[ "$1" = -x ] && echo "$2: $ORCH_ENVTEST_PLAN"; exit 0',
)

test('arguments reach the program as they are', () => {
  const args = ['--x=a b', '', '$HOME', "'"]
  expect(run(join(a, 'etcd'), [noInterpreter], {}, args)).toEqual({
    code: 0,
    out: "a-etcd it's --x=a b  $HOME '\n",
    err: '',
  })
})

describe('what waits in the place of etcd', () => {
  const planning = (name: string, script: string) => {
    const file = join(dir, name)
    writeFileSync(file, script)
    const etcd = { runtime: ['/bin/sh'], program: file, args: [] }
    const [, [, text] = ['', '']] = launchers({ apiserver: etcd, etcd, client: etcd })
    const launcher = join(dir, `${name} launcher`)
    writeFileSync(launcher, text, { mode: 0o755 })
    return { launcher, done: run(launcher, [withInterpreter], {}, ['--x=a b']) }
  }

  test('gets the plan, and what is said is said', () => {
    const { launcher, done } = planning('plans', 'echo "$@"; echo "1\n2" >&3; echo warned >&2')
    expect(done).toEqual({
      code: 0,
      out: `plan --x=a b\n${launcher}: 1\n2\n`,
      err: 'warned\n',
    })
  })

  test('does not run where there is no plan', () =>
    expect(planning('helps', 'echo help').done).toEqual({ code: 0, out: 'help\n', err: '' }))

  test('does not run after a failure', () =>
    expect(planning('fails', 'echo no >&2; exit 3').done).toEqual({
      code: 3,
      out: '',
      err: 'no\n',
    }))
})

test('variables are those of the environment, where it has them', () => {
  const said = join(dir, 'said')
  writeFileSync(said, 'echo "$A $B $@"\n')
  const apiserver = { runtime: ['/bin/sh'], program: said, args: ['c'], env: { A: '1', B: '2' } }
  const [[, text] = ['', '']] = launchers({ apiserver, etcd: apiserver, client: apiserver })
  const file = join(dir, 'with-variables')
  writeFileSync(file, text, { mode: 0o755 })
  expect(run(file, [], { B: '3 4' }, ['d'])).toEqual({ code: 0, out: '1 3 4 c d\n', err: '' })
})

test('a program that is gone is named', () => {
  expect(run(join(a, 'kube-apiserver'), [])).toEqual({
    code: 1,
    out: '',
    err: `kube-apiserver: ${join(dir, 'gone')} is gone; run "orch envtest-assets" again\n`,
  })
})

// The path of this machine may have a client: the shell needs no other program than those of /bin here.
describe('the client that is run', () => {
  program('bin/kubectl')
  mkdirSync(join(dir, 'folder', 'kubectl'), { recursive: true })
  mkdirSync(join(dir, 'tools'))
  for (const tool of ['dirname']) {
    writeFileSync(join(dir, 'tools', tool), '#!/bin/sh\necho "${1%/*}"\n', { mode: 0o755 })
  }
  const only = (file: string, path: readonly string[], env = {}) => {
    const PATH = [...path, join(dir, 'tools')].join(':')
    const done = spawnSync('/bin/sh', [file, 'get', 'a b'], { env: { PATH, ...env }, cwd: dir })
    return { code: done.status, out: done.stdout.toString(), err: done.stderr.toString() }
  }
  const said = (out: string) => ({ code: 0, out: `${out} get a b\n`, err: '' })
  const none = {
    code: 1,
    out: '',
    err: 'kubectl: there is no kubectl on the PATH, and this build of orch has no orchctl; install one, or name it in ORCH_ENVTEST_KUBECTL\n',
  }
  for (const { name, from, path, env, expected } of [
    { name: 'one on the path', from: a, path: [join(dir, 'bin')], expected: said('bin/kubectl') },
    {
      name: 'not the launcher, another launcher, or a folder',
      from: a,
      path: [a, b, a, join(dir, 'folder'), '', join(dir, 'bin')],
      expected: said('bin/kubectl'),
    },
    {
      name: 'one that the variable names',
      from: a,
      path: [join(dir, 'bin')],
      env: { ORCH_ENVTEST_KUBECTL: program('named') },
      expected: said('named'),
    },
    { name: 'our own where there is no other', from: b, path: [b], expected: said('own') },
    { name: 'our own of another launcher', from: a, path: [a, b], expected: said('own') },
    { name: 'none', from: a, path: [a], expected: none },
  ]) {
    test(name, () => expect(only(join(from, 'kubectl'), path, env)).toEqual(expected))
  }
})
