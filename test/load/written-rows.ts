/** Rows of valid objects and of requests that a declaration does not tell of. */
import { changes } from './change-rows.ts'
import { creates } from './create-rows.ts'
import { deep } from './deep-rows.ts'
import { definitions } from './definition-rows.ts'
import { grants } from './grant-rows.ts'
import { protobufs } from './protobuf-rows.ts'
import { reviews, selectors } from './question-rows.ts'
import { limits } from './limit-rows.ts'
import type { Row } from './row.ts'
import { yamls } from './yaml-rows.ts'

export const writtenRows = (): Row[] => [
  ...creates,
  ...definitions,
  ...changes,
  ...reviews,
  ...selectors,
  ...yamls,
  ...deep,
  ...protobufs,
  ...grants,
  ...limits,
]
