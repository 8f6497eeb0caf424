/** Values where nobody expects them: whatever they are, the client did it, and is told so. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { Client } from '../client.ts'
import { copyOf, Literal, sitesOf, textOf, treeOf } from '../fuzz/tree.ts'
import { collectionOf, manifests, objectOf } from '../manifests.fixture.ts'

/** Beyond what the engine's numbers hold exactly, so it is read as another type. */
const HUGE = '9223372036854775808'
const MAP = '/api/v1/namespaces/default/configmaps/a'

let server: RunningServer
let client: Client
beforeAll(async () => {
  const runtimeConfig = { 'api/all': true }
  server = await startServer({ controllers: false, vocabulary: 'kubernetes', runtimeConfig })
  client = new Client(server)
  const metadata = { name: 'a' }
  await client.post('/api/v1/namespaces/default/configmaps', { metadata })
})
afterAll(async () => {
  client.close()
  await server.close()
})

describe('an integer beyond all bounds where a word belongs', () => {
  for (const { name, method, type, raw, status, message } of [
    {
      name: 'the kind of options, JSON',
      method: 'DELETE',
      type: 'application/json',
      raw: `{"kind":${HUGE}}`,
      status: 400,
      message: `expected a DeleteOptions, found ${HUGE}`,
    },
    {
      name: 'the kind of options, YAML',
      method: 'DELETE',
      type: 'application/yaml',
      raw: `kind: ${HUGE}`,
      status: 400,
      message: `expected a DeleteOptions, found ${HUGE}`,
    },
    {
      name: 'the operation of a JSON patch',
      method: 'PATCH',
      type: 'application/json-patch+json',
      raw: `[{"op":${HUGE},"path":"/a"}]`,
      status: 400,
      message:
        'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    },
  ]) {
    test(name, async () => {
      const answer = await client.ask(method, MAP, { raw, headers: { 'content-type': type } })
      expect(answer.status).toBe(status)
      expect(answer.body).toMatchObject({ kind: 'Status', code: status, message })
    })
  }
})

describe('an integer beyond all bounds at every place of', () => {
  for (const manifest of manifests(vocabularies.kubernetes)) {
    test(`${manifest.apiVersion} ${manifest.kind}`, async () => {
      const object = objectOf(manifest)
      const { name } = object['metadata'] as { name: string }
      const collection = collectionOf(manifest)
      await client.post(collection, object)
      const whole = treeOf(object)
      for (let at = 0; at < sitesOf(whole).length; at++) {
        const tree = copyOf(whole)
        const site = sitesOf(tree)[at]!
        site.put(new Literal(HUGE))
        const raw = textOf(tree)
        const where = site.path.join('.')
        const post = await client.ask('POST', `${collection}?dryRun=All`, { raw })
        expect(post.status, `POST, ${where}: ${post.text}`).toBeLessThan(500)
        const apply = await client.ask(
          'PATCH',
          `${collection}/${name}?dryRun=All&fieldManager=a&force=true`,
          { raw, headers: { 'content-type': 'application/apply-patch+yaml' } },
        )
        // The field answers so when a configuration does not fit its kind.
        const isMisfit = apply.text.includes('failed to create typed patch object')
        if (!isMisfit) expect(apply.status, `apply, ${where}: ${apply.text}`).toBeLessThan(500)
      }
    })
  }
})
