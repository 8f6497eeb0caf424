/** Quotas with a stock kubectl: what it shows of them, and what it says when one has no room. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
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

const POD = `apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 250m}, limits: {memory: 64Mi}}}]}
`

test('describe shows what is used, and follows deletions', async () => {
  const settled = () => server.settled()
  await kubectl.ok(
    ...['create', 'quota', 'q', '--hard=pods=1,requests.cpu=1,limits.memory=1Gi,count/secrets=3'],
  )
  await settled()
  const run = (name: string) => kubectl.run(['apply', '-f', '-'], POD.replace('NAME', name))
  expect(await run('a')).toMatchObject({ code: 0, stdout: 'pod/a created\n' })
  expect(await run('b')).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'Error from server (Forbidden): error when creating "STDIN": pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1\n',
  })
  expect(await kubectl.ok('describe', 'quota', 'q')).toBe(
    [
      'Name:          q',
      'Namespace:     default',
      'Resource       Used  Hard',
      '--------       ----  ----',
      'count/secrets  0     3',
      'limits.memory  64Mi  1Gi',
      'pods           1     1',
      'requests.cpu   250m  1',
      '',
    ].join('\n'),
  )
  await kubectl.ok('delete', 'pod', 'a', '--now')
  await settled()
  expect(await kubectl.ok('get', 'quota', 'q', '-o', 'jsonpath={.status.used}')).toBe(
    '{"count/secrets":"0","limits.memory":"0","pods":"0","requests.cpu":"0"}',
  )
  expect(await run('b')).toMatchObject({ code: 0, stdout: 'pod/b created\n' })
})
