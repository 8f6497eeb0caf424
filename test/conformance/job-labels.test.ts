/** Labels and selector that the server gives jobs, in every form of a create. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { Client, type Reply } from '../client.ts'
import { protobufForm } from '../protobuf/form.ts'

const JOBS = '/apis/batch/v1/namespaces/default/jobs'

interface Given {
  readonly labels?: Record<string, string>
  readonly template?: Record<string, string>
  readonly spec?: object
}

const jobOf = (metadata: object, { labels, template, spec }: Given) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { ...metadata, ...(labels && { labels }) },
  spec: {
    ...spec,
    template: {
      ...(template && { metadata: { labels: template } }),
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
    },
  },
})

for (const vocabulary of ['orch', 'kubernetes'] as const) {
  describe(`vocabulary ${vocabulary}`, () => {
    const protobuf = protobufForm(vocabularies[vocabulary])
    let server: RunningServer
    let client: Client
    beforeAll(async () => {
      server = await startServer({ vocabulary, controllers: false })
      client = new Client(server)
    })
    afterAll(async () => {
      client.close()
      await server.close()
    })

    const forms: readonly [name: string, create: (job: object, name: string) => Promise<Reply>][] =
      [
        ['JSON', (job) => client.post(JOBS, job)],
        [
          'YAML',
          (job) =>
            client.ask('POST', JOBS, {
              raw: JSON.stringify(job),
              headers: { 'content-type': 'application/yaml' },
            }),
        ],
        [
          'protobuf',
          (job) =>
            client.ask('POST', JOBS, {
              raw: protobuf.write(job),
              headers: { 'content-type': protobuf.type, accept: 'application/json' },
            }),
        ],
        [
          'apply',
          (job, name) =>
            client.ask('PATCH', `${JOBS}/${name}?fieldManager=me`, {
              body: job,
              headers: { 'content-type': 'application/apply-patch+yaml' },
            }),
        ],
      ]
    let serial = 0
    for (const [form, create] of forms) {
      describe(form, () => {
        for (const { name, given, own, ofTemplate } of [
          { name: 'none at all', given: {}, own: {}, ofTemplate: {} },
          {
            name: 'labels of the template',
            given: { template: { app: 'web' } },
            own: { app: 'web' },
            ofTemplate: { app: 'web' },
          },
          { name: 'labels of its own', given: { labels: { a: 'b' } }, own: null, ofTemplate: {} },
          {
            name: 'the same labels twice',
            given: { labels: { app: 'web' }, template: { app: 'web' } },
            own: null,
            ofTemplate: { app: 'web' },
          },
        ] as {
          name: string
          given: Given
          own: Record<string, string> | null
          ofTemplate: Record<string, string>
        }[]) {
          test(name, async () => {
            const job = `labels-${serial++}`
            const { status, body } = await create(jobOf({ name: job }, given), job)
            const { metadata, spec } = body
            const generated = { 'controller-uid': metadata.uid, 'job-name': job }
            expect([status, metadata.labels, spec.template.metadata.labels, spec.selector]).toEqual(
              [
                201,
                own === null ? given.labels : { ...own, ...generated },
                { ...ofTemplate, ...generated },
                { matchLabels: { 'controller-uid': metadata.uid } },
              ],
            )
            const { labels } = metadata
            expect((await client.get(`${JOBS}/${job}`)).body.metadata.labels).toEqual(labels)
            // What is put back without labels has those of its template, whoever gave them.
            const back = await client.put(`${JOBS}/${job}`, { ...body, metadata: { name: job } })
            expect([back.status, back.body.metadata.labels]).toEqual([
              200,
              { ...ofTemplate, ...generated },
            ])
          })
        }

        test('a selector made by hand brings no labels', async () => {
          const job = `labels-${serial++}`
          const given: Given = {
            template: { app: 'web' },
            spec: { manualSelector: true, selector: { matchLabels: { app: 'web' } } },
          }
          const { status, body } = await create(jobOf({ name: job }, given), job)
          expect([
            status,
            body.metadata.labels,
            body.spec.template.metadata.labels,
            body.spec.selector,
            body.spec.manualSelector,
          ]).toEqual([201, { app: 'web' }, { app: 'web' }, { matchLabels: { app: 'web' } }, true])
        })
      })
    }

    test('a name that is made by the server is in the labels', async () => {
      const { body } = await client.post(JOBS, jobOf({ generateName: 'made-' }, {}))
      const { name, uid, labels } = body.metadata
      expect(name).toMatch(/^made-\w{5}$/)
      expect(labels).toEqual({ 'controller-uid': uid, 'job-name': name })
    })
  })
}
