import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { answer, refusal, Scene } from '../../../test/admission-scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await Scene.start()
})
afterAll(() => scene.close())

const GROUP = 'networking.orch.io'
const CLASSES = `/apis/${GROUP}/v1/ingressclasses`
const INGRESSES = `/apis/${GROUP}/v1/namespaces/default/ingresses`
const MARK = 'ingressclass.orch.io/is-default-class'
const OLD = 'orch.io/ingress.class'

const ingressClass = (name: string, mark?: string) => ({
  metadata: { name, annotations: mark === undefined ? {} : { [MARK]: mark } },
  spec: { controller: 'example.com/c' },
})
const ingress = (spec: object = {}, annotations: object = {}) => ({
  metadata: { name: 'i', annotations },
  spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } }, ...spec },
})
afterEach(async () => {
  await scene.client.delete(`${INGRESSES}/i`)
  await scene.client.delete(CLASSES)
})

const two = [ingressClass('a', 'true'), ingressClass('b', 'true'), ingressClass('c')]

for (const { name, classes, given, expected } of [
  { name: 'without classes', classes: [], given: ingress(), expected: undefined },
  {
    name: 'without a default',
    classes: [ingressClass('a', 'yes'), ingressClass('b', 'false'), ingressClass('c')],
    given: ingress(),
    expected: undefined,
  },
  {
    name: 'with a default',
    classes: [ingressClass('a'), ingressClass('b', 'true')],
    given: ingress(),
    expected: 'b',
  },
  {
    name: 'with a class of its own, also beside two defaults',
    classes: two,
    given: ingress({ ingressClassName: 'x' }),
    expected: 'x',
  },
  {
    name: 'with a class by annotation',
    classes: two,
    given: ingress({}, { [OLD]: 'x' }),
    expected: undefined,
  },
  {
    name: 'with the empty class by annotation',
    classes: two,
    given: ingress({}, { [OLD]: '' }),
    expected: undefined,
  },
]) {
  test(`an ingress ${name} gets ${String(expected)}`, async () => {
    await scene.make(CLASSES, ...classes)
    const { status, body } = await scene.client.post(INGRESSES, given)
    expect([status, body.spec.ingressClassName]).toEqual([201, expected])
  })
}

test('two defaults refuse ingresses until one is gone', async () => {
  await scene.make(CLASSES, ...two)
  const why = 'Internal error occurred: 2 default IngressClasses were found'
  expect(answer(await scene.client.post(INGRESSES, ingress()))).toEqual([
    403,
    refusal(GROUP, 'ingresses', 'i', why),
  ])
  await scene.client.delete(`${CLASSES}/a`)
  const made = await scene.client.post(INGRESSES, ingress())
  expect([made.status, made.body.spec.ingressClassName]).toEqual([201, 'b'])
})
