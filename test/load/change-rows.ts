/** Rows that change objects, ask about access, or select. */
import {
  APPLY,
  apps,
  ask,
  change,
  env,
  JSON_PATCH,
  keys,
  MAPS,
  MERGE,
  PODS,
  podSpec,
  STRATEGIC,
  type Json,
} from './requests.ts'
import { many, type Row } from './row.ts'

const bigMap = (count: number) => () => ({ data: keys(count) })
const config = (object: Json, kind = 'ConfigMap'): Json => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'big' },
  ...object,
})

export const changes: Row[] = [
  change('update every value', MAPS, bigMap(60_000), {
    method: 'PUT',
    value: () => ({ metadata: { name: 'big' }, data: keys(48_000, 'x') }),
  }),
  change('update every key', MAPS, bigMap(60_000), {
    method: 'PUT',
    value: () => ({
      metadata: { name: 'big' },
      data: Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`l${i}`, ''])),
    }),
  }),
  change('update with as many keys as fit', MAPS, bigMap(10), {
    method: 'PUT',
    value: () => ({ metadata: { name: 'big' }, data: keys(95_000) }),
  }),
  change('merge patch of every value', MAPS, bigMap(60_000), {
    method: 'PATCH',
    type: MERGE,
    value: () => ({ data: keys(48_000, 'x') }),
  }),
  change('merge patch that removes every key', MAPS, bigMap(60_000), {
    method: 'PATCH',
    type: MERGE,
    value: () => ({
      data: Object.fromEntries(Object.keys(keys(60_000)).map((key) => [key, null])),
    }),
  }),
  change('strategic patch of every item', PODS, () => podSpec({ env: env(60_000) }), {
    method: 'PATCH',
    type: STRATEGIC,
    value: () => ({
      spec: {
        containers: [{ name: 'c', env: env(60_000).map(({ name }) => ({ name, value: 'x' })) }],
      },
    }),
    status: 422,
  }),
  change(
    'strategic patch of every item of a template',
    apps('deployments'),
    () => ({
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, ...podSpec({ env: env(60_000) }) },
      },
    }),
    {
      method: 'PATCH',
      type: STRATEGIC,
      value: () => ({
        spec: {
          template: {
            spec: {
              containers: [
                {
                  name: 'c',
                  env: env(60_000)
                    .toReversed()
                    .map(({ name }) => ({ name, value: 'x' })),
                },
              ],
            },
          },
        },
      }),
    },
  ),
  change(
    'strategic patch with an order',
    apps('deployments'),
    () => ({
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, ...podSpec({ env: env(60_000) }) },
      },
    }),
    {
      method: 'PATCH',
      type: STRATEGIC,
      value: () => ({
        spec: {
          template: {
            spec: {
              containers: [
                {
                  name: 'c',
                  '$setElementOrder/env': env(60_000)
                    .toReversed()
                    .map(({ name }) => ({ name })),
                },
              ],
            },
          },
        },
      }),
    },
  ),
  change(
    'strategic patch that deletes items',
    apps('deployments'),
    () => ({
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, ...podSpec({ env: env(60_000) }) },
      },
    }),
    {
      method: 'PATCH',
      type: STRATEGIC,
      value: () => ({
        spec: {
          template: {
            spec: {
              containers: [
                { name: 'c', env: env(60_000).map(({ name }) => ({ name, $patch: 'delete' })) },
              ],
            },
          },
        },
      }),
    },
  ),
  change(
    'strategic patch that deletes finalizers',
    MAPS,
    () => ({
      metadata: { name: 'big', finalizers: many((i) => `example.com/f${i}`, { values: 45_000 }) },
    }),
    {
      method: 'PATCH',
      type: STRATEGIC,
      value: () => ({
        metadata: {
          '$deleteFromPrimitiveList/finalizers': many((i) => `example.com/f${i}`, {
            values: 45_000,
          }),
        },
      }),
    },
  ),
  change('JSON patch of many keys', MAPS, bigMap(10), {
    method: 'PATCH',
    type: JSON_PATCH,
    value: () =>
      Array.from({ length: 10_000 }, (_, i) => ({ op: 'add', path: `/data/n${i}`, value: 'x' })),
  }),
  change('JSON patch of keys of many', MAPS, bigMap(60_000), {
    method: 'PATCH',
    type: JSON_PATCH,
    value: () =>
      Array.from({ length: 10_000 }, (_, i) => ({
        op: 'replace',
        path: `/data/k${i}`,
        value: 'x',
      })),
  }),
  change(
    'JSON patch at the start of a list',
    MAPS,
    () => ({
      metadata: { name: 'big', finalizers: many((i) => `example.com/f${i}`, { values: 45_000 }) },
    }),
    {
      method: 'PATCH',
      type: JSON_PATCH,
      value: () =>
        Array.from({ length: 10_000 }, (_, i) => ({
          op: 'add',
          path: '/metadata/finalizers/0',
          value: `example.com/g${i}`,
        })),
      status: 0,
    },
  ),
  change(
    'JSON patch that moves items',
    MAPS,
    () => ({
      metadata: { name: 'big', finalizers: many((i) => `example.com/f${i}`, { values: 45_000 }) },
    }),
    {
      method: 'PATCH',
      type: JSON_PATCH,
      value: () =>
        Array.from({ length: 10_000 }, () => ({
          op: 'move',
          from: '/metadata/finalizers/0',
          path: '/metadata/finalizers/-',
        })),
      status: 0,
    },
  ),
  change('JSON patch that copies what grows', MAPS, () => ({ data: { a: 'x' } }), {
    method: 'PATCH',
    type: JSON_PATCH,
    value: () =>
      Array.from({ length: 10_000 }, (_, i) => ({ op: 'copy', from: '', path: `/data/n${i}` })),
    status: 422,
  }),
  change('JSON patch that tests large values', MAPS, bigMap(60_000), {
    method: 'PATCH',
    type: JSON_PATCH,
    value: () => [
      { op: 'test', path: '/data', value: keys(60_000) },
      { op: 'add', path: '/data/n', value: '' },
    ],
  }),
  change('JSON patch that replaces all again and again', MAPS, bigMap(10), {
    method: 'PATCH',
    type: JSON_PATCH,
    value: () =>
      Array.from({ length: 10_000 }, () => ({
        op: 'add',
        path: '/data',
        value: { a: 'x'.repeat(200) },
      })),
  }),
  change('apply of every value', MAPS, bigMap(60_000), {
    method: 'PATCH',
    sub: '?fieldManager=a&force=true',
    type: APPLY,
    value: () => config({ data: keys(48_000, 'x') }),
  }),
  change('apply in conflict about every value', MAPS, bigMap(60_000), {
    method: 'PATCH',
    sub: '?fieldManager=a',
    type: APPLY,
    value: () => config({ data: keys(48_000, 'x') }),
    status: 409,
  }),
  {
    name: 'apply that makes as much as fits',
    ask: ask('PATCH', `${MAPS}/big?fieldManager=a`, () => config({ data: keys(95_000) }), APPLY),
    status: 201,
    after: [{ method: 'DELETE', path: `${MAPS}/big` }],
  },
  {
    name: 'apply that lets go of everything',
    before: [
      ask('PATCH', `${MAPS}/big?fieldManager=a`, () => config({ data: keys(60_000) }), APPLY),
    ],
    ask: ask('PATCH', `${MAPS}/big?fieldManager=a`, () => config({ data: { a: 'x' } }), APPLY),
    status: 200,
    after: [{ method: 'DELETE', path: `${MAPS}/big` }],
  },
  {
    name: 'apply of a keyed list',
    before: [
      ask('PATCH', `${apps('deployments')}/big?fieldManager=a`, () => deploymentOf(30_000), APPLY),
    ],
    ask: ask(
      'PATCH',
      `${apps('deployments')}/big?fieldManager=a`,
      () => deploymentOf(29_000, 'x'),
      APPLY,
    ),
    status: 200,
    after: [{ method: 'DELETE', path: `${apps('deployments')}/big` }],
  },
  {
    name: 'apply of a set',
    before: [
      ask(
        'PATCH',
        `${MAPS}/big?fieldManager=a`,
        () =>
          config({
            metadata: {
              name: 'big',
              finalizers: many((i) => `example.com/f${i}`, { values: 60_000 }),
            },
          }),
        APPLY,
      ),
    ],
    ask: ask(
      'PATCH',
      `${MAPS}/big?fieldManager=b`,
      () =>
        config({
          metadata: {
            name: 'big',
            finalizers: many((i) => `example.com/f${i}`, { values: 60_000 }).toReversed(),
          },
        }),
      APPLY,
    ),
    status: 200,
    after: [
      ask('PATCH', `${MAPS}/big`, () => ({ metadata: { finalizers: null } }), MERGE),
      { method: 'DELETE', path: `${MAPS}/big` },
    ],
  },
  {
    name: 'apply with many owners of much',
    before: [
      ask('POST', MAPS, () => ({ metadata: { name: 'big' }, data: keys(2_000) })),
      ...Array.from({ length: 20 }, (_, i) =>
        ask('PATCH', `${MAPS}/big?fieldManager=a${i}`, () => config({ data: keys(2_000) }), APPLY),
      ),
    ],
    ask: ask(
      'PATCH',
      `${MAPS}/big?fieldManager=b&force=true`,
      () => config({ data: keys(2_000, 'x') }),
      APPLY,
    ),
    status: 200,
    after: [{ method: 'DELETE', path: `${MAPS}/big` }],
  },
  change('update of the status', PODS, () => podSpec(), {
    method: 'PATCH',
    sub: '/status',
    type: MERGE,
    value: () => ({ status: { conditions: many((i) => ({ type: `T${i}`, status: 'True' })) } }),
  }),
  change('update of the scale', apps('deployments'), () => deploymentOf(25_000), {
    method: 'PATCH',
    sub: '/scale',
    type: MERGE,
    value: () => ({ spec: { replicas: 3 }, metadata: { annotations: keys(60_000) } }),
    status: 0,
  }),
  change('delete with a large body', MAPS, bigMap(60_000), {
    method: 'DELETE',
    value: () => ({ dryRun: many(() => 'All') }),
  }),
  change('delete with wrong trials', MAPS, bigMap(10), {
    method: 'DELETE',
    value: () => ({ dryRun: many((i) => `x${i}`) }),
    status: 422,
  }),
  change('eviction', PODS, () => podSpec(), {
    method: 'POST',
    sub: '/eviction',
    value: () => ({ metadata: { name: 'big', annotations: keys(60_000) }, deleteOptions: {} }),
    status: 0,
  }),
]

function deploymentOf(count: number, value = ''): Json {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'big' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' } },
        ...podSpec({ env: Array.from({ length: count }, (_, i) => ({ name: `E${i}`, value })) }),
      },
    },
  }
}
