import { describe, expect, test } from 'vitest'
import { parseYaml } from '../../codec/yaml.ts'
import { readPlainYaml } from './plain-yaml.ts'

const CONFIG = `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${'LS0t'.repeat(500)}=
    server: https://127.0.0.1:6443
  name: orch
contexts:
  - context:
      cluster: orch
      user: admin
    name: admin@orch
current-context: admin@orch
kind: Config
preferences: {}
users:
- name: admin
  user:
    exec:
      args:
      - get-token
      - a b
      command: ../bin/tool
      env: null
      interactiveMode: "IfAvailable"
`

describe('texts that are read as the library reads them', () => {
  for (const [name, text] of Object.entries({
    'a configuration': CONFIG,
    'lines of Windows': CONFIG.replaceAll('\n', '\r\n'),
    'blank lines and a beginning': `---\n\n${CONFIG}\n\n`,
    'words of their own': 'a: true\nb: false\nc: null\nd: {}\ne: []\nf: ""\ng: \'\'\n',
    'quoted values': 'a: "x: y # z"\nb: \'yes\'\n',
    'no value': 'a:\nb: c\n',
    'no value at the end': 'a:\n  b:\n',
    'spaces before a value and behind': 'a:    b  \n',
    'texts with colons': 'a: b:c\nd: https://e:80/f\n',
    'keys with dots and dashes': 'a.b-c_d: e\n',
    'a list': '- a\n- b c\n-   d\n',
    'maps in a list': '- a: b\n  c: d\n- e: f\n',
  })) {
    test(name, async () => expect(readPlainYaml(text)).toEqual(await parseYaml(text)))
  }
})

describe('texts for the library', () => {
  for (const text of [
    'a: 1',
    'a: .5',
    'a: .inf',
    'a: -1',
    'a: ~',
    'a: yes',
    'a: Off',
    'a: b # c',
    'a: b: c',
    'a: b:',
    'a: |\n  b',
    'a: >-\n  b',
    'a: &b c',
    'a: *b',
    'a: !!str b',
    'a: [b]',
    'a: {b: c}',
    'a: "b\\n"',
    'a: b\n c',
    'a: b\n  c: d',
    'a:\tb',
    'a:b',
    '"a": b',
    '? a\n: b',
    'a: b\na: c',
    '__proto__: a',
    '# a\nb: c',
    '- - a',
    '- a\nb: c',
    'a: b\n---\nc: d',
    '{}',
  ]) {
    test(JSON.stringify(text), () => expect(readPlainYaml(text)).toBe(undefined))
  }
})
