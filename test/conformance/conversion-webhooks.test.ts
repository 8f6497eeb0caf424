/** Versions of kinds of users that a webhook converts: what it is asked, what is believed of it, what fails. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { issue } from '../../src/pki/issue.ts'
import { Client } from '../client.ts'
import { cron, CRONS, define, definition, version, type Json } from './definitions.fixture.ts'

const V2 = CRONS.replace('/v1/', '/v2/')
const HOUR_MS = 3_600_000

interface Review {
  readonly kind: string
  readonly apiVersion: string
  readonly request: {
    readonly uid: string
    readonly desiredAPIVersion: string
    readonly objects: readonly Converted[]
  }
}
type Converted = Json & { metadata: Json; spec: Json }

/** A webhook that answers as it is told. */
class Webhook {
  readonly reviews: Review[] = []
  answer: (review: Review) => unknown = converted
  readonly #server: Server
  readonly ca: string
  #port = 0

  constructor() {
    const times = { notBeforeMs: Date.now() - HOUR_MS, notAfterMs: Date.now() + HOUR_MS }
    const authority = issue({ ...times, subject: { commonName: 'authority' }, use: 'authority' })
    const subject = { commonName: 'webhook' }
    const own = issue({ ...times, subject, use: 'server', hosts: ['127.0.0.1'], issuer: authority })
    this.ca = authority.cert
    this.#server = createServer(own, (request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        const review = JSON.parse(Buffer.concat(parts).toString('utf8')) as Review
        this.reviews.push(review)
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(this.answer(review)))
      })
    })
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  conversion(versions: readonly string[]) {
    const clientConfig = {
      url: `https://127.0.0.1:${this.#port}/convert`,
      caBundle: Buffer.from(this.ca).toString('base64'),
    }
    return {
      strategy: 'Webhook',
      webhook: { clientConfig, conversionReviewVersions: versions },
    }
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

/** Replicas are a size in the second version. */
function renamed(object: Converted, to: string): Converted {
  const [from, into] = to.endsWith('/v2') ? ['replicas', 'size'] : ['size', 'replicas']
  const { [from]: count, ...spec } = object.spec
  return { ...object, apiVersion: to, spec: { ...spec, [into]: count } }
}

const answerTo = (
  { kind, apiVersion, request }: Review,
  convertedObjects: readonly unknown[],
  more: object = {},
) => ({
  kind,
  apiVersion,
  response: { uid: request.uid, result: { status: 'Success' }, convertedObjects, ...more },
})

const all = ({ request: { objects, desiredAPIVersion } }: Review) =>
  objects.map((object) => renamed(object, desiredAPIVersion))

const converted = (review: Review) => answerTo(review, all(review))

const specOf = (count: string): Json => ({
  spec: {
    type: 'object',
    properties: { cron: { type: 'string' }, [count]: { type: 'integer' } },
  },
})

const scaled = (count: string): Json => ({
  subresources: { scale: { specReplicasPath: `.spec.${count}`, statusReplicasPath: '.status.n' } },
})

let webhook: Webhook
let server: RunningServer
let client: Client
const begin = async (versions: readonly string[]) => {
  webhook = new Webhook()
  await webhook.start()
  server = await startServer()
  client = new Client(server)
  await define(
    client,
    definition('crontabs', 'CronTab', {
      conversion: webhook.conversion(versions),
      versions: [
        version('v1', { storage: true, ...scaled('replicas') }, specOf('replicas')),
        version('v2', scaled('size'), specOf('size')),
      ],
    }),
  )
}
const end = async () => {
  client.close()
  await server.close()
  webhook.close()
}

for (const { review, versions } of [
  { review: 'v1', versions: ['v2', 'v1', 'v1beta1'] },
  { review: 'v1beta1', versions: ['v1beta1', 'v1'] },
]) {
  describe(`reviews of version ${review}`, () => {
    beforeEach(() => begin(versions))
    afterEach(end)

    test('are asked for objects in another version, a list at once', async () => {
      for (const name of ['a', 'b'])
        await client.post(CRONS, cron(name, { cron: '1', replicas: 2 }, { labels: { x: name } }))
      expect(webhook.reviews).toEqual([])
      const { body } = await client.get(V2)
      expect([body.apiVersion, body.items.map((one: Converted) => one.spec)]).toEqual([
        'stable.example.com/v2',
        [
          { cron: '1', size: 2 },
          { cron: '1', size: 2 },
        ],
      ])
      const [asked] = webhook.reviews
      expect(webhook.reviews).toHaveLength(1)
      expect([asked!.kind, asked!.apiVersion, asked!.request.desiredAPIVersion]).toEqual([
        'ConversionReview',
        `apiextensions.orch.io/${review}`,
        'stable.example.com/v2',
      ])
      const whole = ['a', 'b'].map(async (name) => (await client.get(`${CRONS}/${name}`)).body)
      expect(asked!.request.objects).toEqual(await Promise.all(whole))
    })

    test('are asked for a list of large objects at once', async () => {
      const large = 'x'.repeat(2 << 20)
      const names = ['a', 'b', 'c']
      await Promise.all(
        names.map((name) => client.post(CRONS, cron(name, { cron: large, replicas: 2 }))),
      )
      const { status, body } = await client.get(V2)
      const found = body.items.map((one: Converted) => [one.metadata['name'], one.spec])
      expect([status, found]).toEqual([200, names.map((name) => [name, { cron: large, size: 2 }])])
      expect(webhook.reviews.map(({ request }) => request.objects.length)).toEqual([3])
    })

    test('are asked for what is written and watched in it', async () => {
      const watch = await client.watch(`${V2}?watch=1`)
      const body = { ...cron('a', { cron: '1', size: 3 }), apiVersion: 'stable.example.com/v2' }
      const made = await client.post(V2, body)
      expect([made.status, made.body.spec]).toEqual([201, { cron: '1', size: 3 }])
      expect((await client.get(`${CRONS}/a`)).body.spec).toEqual({ cron: '1', replicas: 3 })
      await client.merge(`${V2}/a`, { spec: { size: 4 } })
      const events = [await watch.next(), await watch.next()]
      expect(events.map((event) => [event!.type, event!.object.spec])).toEqual([
        ['ADDED', { cron: '1', size: 3 }],
        ['MODIFIED', { cron: '1', size: 4 }],
      ])
      watch.close()
    })

    test('are asked for the scale of an object in it', async () => {
      await client.post(CRONS, cron('a', { cron: '1', replicas: 2 }))
      const path = `${V2}/a/scale`
      const found = await client.get(path)
      expect([found.status, found.body.spec]).toEqual([200, { replicas: 2 }])
      const put = await client.put(path, { ...found.body, spec: { replicas: 3 } })
      expect([put.status, put.body.spec]).toEqual([200, { replicas: 3 }])
      const merged = await client.merge(path, { spec: { replicas: 4 } })
      expect([merged.status, merged.body.spec]).toEqual([200, { replicas: 4 }])
      const applied = await client.ask('PATCH', `${path}?fieldManager=m&force=true`, {
        body: { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 5 } },
        headers: { 'content-type': 'application/apply-patch+yaml' },
      })
      expect([applied.status, applied.body.spec]).toEqual([200, { replicas: 5 }])
      const { body } = await client.get(`${CRONS}/a`)
      expect([body.spec, body.metadata.generation]).toEqual([{ cron: '1', replicas: 5 }, 4])
      const owned = body.metadata.managedFields.map((one: Json) =>
        [one['manager'], one['operation'], one['apiVersion'], one['subresource']].join(' '),
      )
      expect(owned).toContain('m Apply stable.example.com/v2 scale')
    })
  })
}

describe('an answer', () => {
  beforeAll(async () => {
    await begin(['v1'])
    await client.post(CRONS, cron('a', { cron: '1', replicas: 1 }, { labels: { old: 'x' } }))
  })
  afterAll(end)

  const first = (review: Review, change: object) => [{ ...all(review)[0]!, ...change }]
  for (const { name, answer, why } of [
    {
      name: 'of another request',
      answer: (review: Review) => answerTo(review, all(review), { uid: 'x' }),
      why: /^expected response.uid=".+", got "x"$/,
    },
    {
      name: 'of another kind',
      answer: (review: Review) => ({ ...converted(review), kind: 'Other' }),
      why: 'expected webhook response of apiextensions.orch.io/v1, Kind=ConversionReview, got "apiextensions.orch.io/v1", Kind="Other"',
    },
    { name: 'that is none', answer: () => [], why: /^expected webhook response of / },
    {
      name: 'without a response',
      answer: ({ kind, apiVersion }: Review) => ({ kind, apiVersion }),
      why: 'no response provided',
    },
    {
      name: 'that says why not',
      answer: (review: Review) =>
        answerTo(review, [], { result: { status: 'Failure', message: 'not today' } }),
      why: 'not today',
    },
    {
      name: 'that does not say',
      answer: (review: Review) => answerTo(review, [], { result: {} }),
      why: "response.result.status was '', not 'Success'",
    },
    {
      name: 'with fewer objects',
      answer: (review: Review) => answerTo(review, []),
      why: 'returned 0 objects, expected 1',
    },
    {
      name: 'in the same version',
      answer: (review: Review) => answerTo(review, review.request.objects),
      why: 'invalid converted object at index 0: invalid apiVersion (expected stable.example.com/v2, received "stable.example.com/v1")',
    },
    {
      name: 'with another kind of object',
      answer: (review: Review) => answerTo(review, first(review, { kind: 'Other' })),
      why: 'invalid converted object at index 0: invalid kind (expected "CronTab", received "Other")',
    },
    {
      name: 'with another object',
      answer: (review: Review) => {
        const [one] = all(review)
        return answerTo(review, [{ ...one!, metadata: { ...one!.metadata, name: 'b' } }])
      },
      why: 'invalid converted object at index 0: invalid metadata.name (expected "a", received "b")',
    },
    {
      name: 'with labels that are none',
      answer: (review: Review) => {
        const [one] = all(review)
        return answerTo(review, [{ ...one!, metadata: { ...one!.metadata, labels: 1 } }])
      },
      why: 'invalid converted object at index 0: labels: expected an object, found a number',
    },
    {
      name: 'with a label that is not valid',
      answer: (review: Review) => {
        const [one] = all(review)
        const metadata = { ...one!.metadata, labels: { 'a b': 'c', d: 'e f' } }
        return answerTo(review, [{ ...one!, metadata }])
      },
      why: /^invalid converted object at index 0: \[metadata\.labels: Invalid value: "a b": name part must consist of .*, metadata\.labels: Invalid value: "e f": a valid label must .*\]$/,
    },
    {
      name: 'with too many annotations',
      answer: (review: Review) => {
        const [one] = all(review)
        const metadata = { ...one!.metadata, annotations: { a: 'x'.repeat(262_144) } }
        return answerTo(review, [{ ...one!, metadata }])
      },
      why: 'invalid converted object at index 0: metadata.annotations: Too long: must have at most 262144 bytes',
    },
  ] as readonly { name: string; answer: (review: Review) => unknown; why: string | RegExp }[]) {
    test(`${name} fails that request alone`, async () => {
      webhook.answer = answer
      const { status, body } = await client.get(`${V2}/a`)
      const told =
        'Internal error occurred: conversion webhook for stable.example.com/v1, Kind=CronTab failed: '
      expect([status, body.reason, body.message.slice(0, told.length)]).toEqual([
        500,
        'InternalError',
        told,
      ])
      const found = body.message.slice(told.length) as string
      if (typeof why === 'string') expect(found).toBe(why)
      else expect(found).toMatch(why)
      expect((await client.get(`${CRONS}/a`)).status).toBe(200)
    })
  }

  test('changes labels and annotations, and no other metadata', async () => {
    webhook.answer = (review) => {
      const [one] = all(review)
      const { labels: _, ...metadata } = one!.metadata
      const given = { ...metadata, annotations: { made: 'up' }, finalizers: ['x.com/y'] }
      return answerTo(review, [{ ...one!, metadata: { ...given, generation: 9 } }])
    }
    const stored = (await client.get(`${CRONS}/a`)).body.metadata
    const { labels: _, ...kept } = stored
    expect((await client.get(`${V2}/a`)).body.metadata).toEqual({
      ...kept,
      annotations: { made: 'up' },
    })
  })
})
