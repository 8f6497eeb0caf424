import { expect, test } from 'vitest'
import { vocabularies } from '../vocabulary/index.ts'
import type { ServerState } from './context.ts'
import type { Exchange } from './exchange.ts'
import { responseForm, failureForm, type Form } from './form.ts'
import { RequestContext } from './request-context.ts'

/** A request, with a count of how often its Accept header was read. */
function requestFor(accept: string | undefined) {
  const reads = { count: 0 }
  const headers = {
    get accept() {
      reads.count++
      return accept
    },
  }
  // Negotiation needs nothing else of these.
  const server = { api: { v: vocabularies.orch } } as ServerState
  const exchange = { target: '/api/v1/namespaces', headers } as unknown as Exchange
  return { context: new RequestContext(server, exchange), reads }
}

const plain = (type: Form['type'], mediaType: string = type): Form => ({
  type,
  mediaType,
  as: '',
  asVersion: '',
  includeObject: 'Metadata',
  pretty: false,
})
const JSON_FORM = plain('application/json')
const YAML = plain('application/yaml')
const BINARY_TYPE = 'application/vnd.orch.protobuf'
const BINARY = plain('protobuf', BINARY_TYPE)
const TABLE = 'application/json;as=Table;g=meta.orch.io;v=v1'
const TABLE_FORM: Form = { ...JSON_FORM, as: 'Table', asVersion: 'meta.orch.io/v1' }

for (const { name, accept, form, failure, negotiations } of [
  { name: 'nothing', accept: undefined, form: JSON_FORM, failure: JSON_FORM, negotiations: 1 },
  { name: 'YAML', accept: 'application/yaml', form: YAML, failure: YAML, negotiations: 1 },
  { name: 'the binary form', accept: BINARY_TYPE, form: BINARY, failure: BINARY, negotiations: 1 },
  {
    name: 'a table, else YAML',
    accept: `${TABLE},application/yaml;q=0.5`,
    form: TABLE_FORM,
    failure: YAML,
    negotiations: 2,
  },
]) {
  test(`a request for ${name} negotiates once, and once more for a failure that has no such shape`, () => {
    const { context, reads } = requestFor(accept)
    expect([responseForm(context), responseForm(context), context.form]).toEqual([form, form, form])
    expect(reads.count).toBe(1)
    expect(failureForm(context)).toEqual(failure)
    expect(reads.count).toBe(negotiations)
  })
}

test('a failure is indented JSON for a client that accepts none of the offered types', () => {
  const { context } = requestFor('image/png')
  expect(() => responseForm(context)).toThrow(/^only the following media types are accepted: /)
  expect(context.form).toBe(null)
  expect(failureForm(context)).toEqual({ ...JSON_FORM, pretty: true })
})
