import { describe, expect, test } from 'vitest'
import { vocabularies } from '../vocabulary/index.ts'
import { adminKubeconfig, readKubeconfig } from './kubeconfig.ts'

const made = (server = 'https://127.0.0.1:6443', vocabulary = vocabularies.orch) =>
  adminKubeconfig({ server, ca: 'CA\n', cert: 'CERT\n', key: 'KEY\n', vocabulary })

test('the administrator gets a whole configuration', () => {
  expect(made()).toBe(`apiVersion: v1
kind: Config
clusters:
- name: orch
  cluster:
    server: https://127.0.0.1:6443
    certificate-authority-data: Q0EK
users:
- name: orch-admin
  user:
    client-certificate-data: Q0VSVAo=
    client-key-data: S0VZCg==
contexts:
- name: orch-admin@orch
  context:
    cluster: orch
    user: orch-admin
current-context: orch-admin@orch
`)
})

describe('what is written can be read', () => {
  for (const server of ['https://127.0.0.1:6443', 'https://[::1]:1', 'https://box.example:65535']) {
    for (const vocabulary of Object.values(vocabularies)) {
      test(`${server} in ${vocabulary.name}`, async () => {
        expect(await readKubeconfig(made(server, vocabulary))).toEqual({
          server,
          ca: 'CA\n',
          cert: 'CERT\n',
          key: 'KEY\n',
        })
      })
    }
  }
})

const TWO = `
clusters:
- {name: a, cluster: {server: https://a}}
- {name: b, cluster: {server: https://b}}
users:
- {name: u, user: {token: t}}
contexts:
- {name: one, context: {cluster: a}}
- {name: two, context: {cluster: b, user: u, namespace: team}}
current-context: one
`

describe('contexts', () => {
  for (const { name, context, config } of [
    { name: 'the current one', context: undefined, config: { server: 'https://a' } },
    {
      name: 'another by name',
      context: 'two',
      config: { server: 'https://b', token: 't', namespace: 'team' },
    },
  ]) {
    test(name, async () => expect(await readKubeconfig(TWO, context)).toEqual(config))
  }
})

describe('refused', () => {
  for (const { name, text, message } of [
    { name: 'nothing', text: '', message: 'the configuration is not a map' },
    { name: 'a list', text: '[]', message: 'the configuration is not a map' },
    { name: 'no context', text: 'kind: Config', message: 'no current-context is set' },
    { name: 'unknown context', text: 'current-context: x', message: 'context "x" does not exist' },
    {
      name: 'unknown cluster',
      text: 'contexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x',
      message: 'cluster "c" does not exist',
    },
    {
      name: 'unknown user',
      text: TWO.replace('name: u,', 'name: v,').replace(
        'current-context: one',
        'current-context: two',
      ),
      message: 'user "u" does not exist',
    },
    {
      name: 'no server',
      text: TWO.replace('server: https://a', 'server: ""'),
      message: 'the cluster of context "one" has no server',
    },
    {
      name: 'a number as server',
      text: TWO.replace('server: https://a', 'server: 1'),
      message: 'server is not a string',
    },
    {
      name: 'a command to run',
      text: TWO.replace('token: t', 'exec: {}').replace(
        'current-context: one',
        'current-context: two',
      ),
      message: 'exec is not supported; put the data inside',
    },
  ]) {
    test(name, () => expect(readKubeconfig(text)).rejects.toThrow(message))
  }
})
