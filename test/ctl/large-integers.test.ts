/** Integers beyond 2^53 in objects, through every command that reads or writes any object. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Ctl } from './run.ts'

const LARGE = '9007199254740993'

let server: RunningServer
let ctl: Ctl
beforeAll(async () => {
  server = await startServer()
  ctl = await Ctl.for(server.kubeconfig)
  write('definition.yaml', DEFINITION)
  write('large.yaml', objectOf(LARGE))
  write('next.yaml', objectOf('9007199254740995'))
  write('spec.json', `{"spec":{"count":${LARGE},"free":{"also":${LARGE}}}}`)
  write('untyped.yaml', `spec: {count: ${LARGE}}\n`)
  await ctl.ok('create', '-f', 'definition.yaml')
  await ctl.ok('wait', '--for=condition=Established', 'crd', 'larges.example.com')
})
afterAll(async () => {
  await ctl.close()
  await server.close()
})

const write = (name: string, text: string) => writeFileSync(join(ctl.home, name), text)

const objectOf = (n: string) =>
  `apiVersion: example.com/v1
kind: Large
metadata: {name: one}
spec: {count: ${n}, list: [${n}, ${n}], free: {deep: [{count: ${n}}, ${n}]}}
`

const DEFINITION = `apiVersion: apiextensions.orch.io/v1
kind: CustomResourceDefinition
metadata: {name: larges.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: larges, kind: Large}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              count: {type: integer, format: int64, maximum: ${LARGE}0}
              list: {type: array, items: {type: integer, format: int64}}
              free: {type: object, x-orch-preserve-unknown-fields: true}
    additionalPrinterColumns:
    - {name: Count, type: string, jsonPath: .spec.count}
    - {name: Free, type: string, jsonPath: .spec.free}
`

/** In this order: each finds what the ones before have left. */
const COMMANDS: readonly {
  readonly args: readonly string[]
  readonly shows?: string
  readonly code?: number
}[] = [
  { args: ['diff', '-f', 'large.yaml'], code: 1, shows: `count: ${LARGE}` },
  { args: ['create', '-f', 'large.yaml', '--dry-run=client', '-o', 'json'], shows: LARGE },
  { args: ['create', '-f', 'large.yaml', '--save-config'] },
  { args: ['apply', '-f', 'large.yaml'], shows: 'unchanged' },
  { args: ['apply', '-f', 'next.yaml'], shows: 'configured' },
  { args: ['diff', '-f', 'large.yaml'], code: 1, shows: `count: ${LARGE}` },
  { args: ['apply', '-f', 'large.yaml', '--dry-run=client', '-o', 'yaml'], shows: LARGE },
  { args: ['apply', '-f', 'large.yaml', '--dry-run=server', '-o', 'json'], shows: LARGE },
  { args: ['apply', '-f', 'large.yaml'], shows: 'configured' },
  { args: ['apply', '--server-side', '--force-conflicts', '-f', 'large.yaml'] },
  { args: ['apply', 'view-last-applied', 'large', 'one'], shows: LARGE },
  { args: ['replace', '-f', 'large.yaml'] },
  { args: ['patch', 'large', 'one', '--type=merge', '--patch-file', 'spec.json'] },
  {
    args: [
      'patch',
      'large',
      'one',
      '--type=json',
      '-p',
      `[{"op":"test","path":"/spec/count","value":${LARGE}}]`,
    ],
  },
  { args: ['label', 'large', 'one', 'a=b'] },
  { args: ['annotate', 'large', 'one', 'a=b'] },
  { args: ['get', 'large'], shows: LARGE },
  { args: ['get', 'large', 'one', '-o', 'wide'], shows: LARGE },
  { args: ['get', 'large', 'one', '-o', 'json'], shows: `"count": ${LARGE}` },
  { args: ['get', 'large', '-o', 'yaml'], shows: `count: ${LARGE}` },
  { args: ['get', 'large', 'one', '-o', 'name'] },
  { args: ['get', 'large', '--sort-by', '.spec.count'], shows: LARGE },
  { args: ['get', 'large', '-o', 'jsonpath={.items[*].spec}'], shows: LARGE },
  { args: ['get', 'large', '-o', 'jsonpath={.items[?(@.spec.count>1)].spec.count}'], shows: LARGE },
  {
    args: ['get', 'large', '-o', `jsonpath={.items[?(@.spec.count==${LARGE})].spec.count}`],
    shows: LARGE,
  },
  {
    args: ['get', 'large', 'one', '-o', 'custom-columns=N:.spec.count,F:.spec.free'],
    shows: LARGE,
  },
  { args: ['get', 'crd', 'larges.example.com', '-o', 'yaml'], shows: 'maximum: ' },
  { args: ['describe', 'large', 'one'], shows: LARGE },
  { args: ['describe', 'crd', 'larges.example.com'], shows: 'Maximum:' },
  { args: ['wait', 'large', 'one', `--for=jsonpath={.spec.count}=${LARGE}`] },
  { args: ['create', '-f', 'untyped.yaml', '--validate=false'], code: 1, shows: LARGE },
  { args: ['delete', '-f', 'large.yaml'] },
]

test.each(COMMANDS.map((one) => ({ ...one, name: one.args.join(' ') })))(
  '$name',
  async ({ args, shows = '', code = 0 }) => {
    const { stdout, stderr, code: is } = await ctl.run(args)
    expect({ is, stderr: code === 0 ? stderr : '' }).toEqual({ is: code, stderr: '' })
    expect(stdout + stderr).toContain(shows)
    expect(stdout + stderr).not.toMatch(/9007199254740992\b|9007199254740994\b|BigInt|9\.00719/)
  },
)
