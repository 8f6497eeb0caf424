import { describe, expect, test } from 'vitest'
import { choose, OFFERS } from './accept.ts'

const PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
const DOTTED = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

describe('the form of a version 2 document', () => {
  test.each([
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['application/json, */*', 'application/json'],
    [PROTOBUF, PROTOBUF],
    [DOTTED, DOTTED],
    [`${PROTOBUF};q=0.5, application/json`, 'application/json'],
    [`application/json;q=0.1,${PROTOBUF}`, PROTOBUF],
    [`*/*, ${PROTOBUF}`, PROTOBUF],
    ['text/html, application/json;q=0.9', 'application/json'],
    ['text/html', null],
    ['application/json;q=0', null],
    ['application/json;q=x', null],
    ['application/com.github.proto-openapi.spec.v3@v1.0+protobuf', null],
  ])('%s: %s', (accept, type) => {
    expect(choose(accept, OFFERS.v2)?.type ?? null).toBe(type)
  })
})
