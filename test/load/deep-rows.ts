/** Rows whose values lie far inside others. The texts are put together: a client that builds them is not what is tried. */
import { APPLY, apps, JSON_PATCH, MAPS, MERGE, STRATEGIC } from './requests.ts'
import type { Ask, Row } from './row.ts'

/** Levels that documents may have, less those around the value. */
const LEVELS = 500
const REVISIONS = apps('controllerrevisions')

const maps = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const lists = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const revision = (data: string) =>
  `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"big"},"revision":1,"data":{"data":${data}}}`

const gone: Ask[] = [{ method: 'DELETE', path: `${REVISIONS}/big` }]
const post = (name: string, data: (levels: number) => string, levels = LEVELS): Row => ({
  name: `deep ${name}`,
  ask: { method: 'POST', path: REVISIONS, body: () => revision(data(levels)) },
  status: 0,
  after: gone,
})
const patch = (name: string, type: string, body: () => string): Row => ({
  name: `deep ${name}`,
  before: [{ method: 'POST', path: REVISIONS, body: () => revision(maps(480)) }],
  ask: { method: 'PATCH', path: `${REVISIONS}/big?fieldManager=a&force=true`, type, body },
  status: 0,
  after: gone,
})

export const deep: Row[] = [
  post('maps', maps),
  post('lists', lists),
  post('maps beyond the bound', maps, 500_000),
  post('lists beyond the bound', lists, 1_500_000),
  patch('merge patch', MERGE, () => `{"data":{"data":${maps(LEVELS)}}}`),
  patch('strategic patch', STRATEGIC, () => `{"data":{"data":${maps(LEVELS)}}}`),
  patch(
    'JSON patch value',
    JSON_PATCH,
    () => `[{"op":"add","path":"/data/b","value":${maps(LEVELS)}}]`,
  ),
  patch(
    'JSON patch paths',
    JSON_PATCH,
    () =>
      `[${Array.from({ length: 1_000 }, (_, i) => `{"op":"add","path":"/data/data${'/a'.repeat(480)}/b${i}","value":1}`).join(',')}]`,
  ),
  patch('apply', APPLY, () => revision(maps(LEVELS))),
  {
    name: 'deep owned fields',
    ask: {
      method: 'POST',
      path: MAPS,
      body: () =>
        `{"metadata":{"name":"big","managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":${'{"f:a":'.repeat(LEVELS)}{}${'}'.repeat(LEVELS)}}]}}`,
    },
    status: 0,
    after: [{ method: 'DELETE', path: `${MAPS}/big` }],
  },
]
