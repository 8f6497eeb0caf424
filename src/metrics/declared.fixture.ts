/** All declarations of metrics, for tests and for the page that lists them. */
import type { Declaration } from './declaration.ts'
import * as access from './declared/access.ts'
import * as admission from './declared/admission.ts'
import * as clients from './declared/clients.ts'
import * as flowControl from './declared/flow-control.ts'
import * as process from './declared/process.ts'
import * as requests from './declared/requests.ts'
import * as services from './declared/services.ts'
import * as storage from './declared/storage.ts'

const isDeclaration = (value: unknown): value is Declaration =>
  typeof value === 'object' && value !== null && 'stability' in value

/** By the heading of the page. */
export const declared: Readonly<Record<string, readonly Declaration[]>> = {
  Requests: Object.values(requests),
  'Access and audit': Object.values(access),
  Admission: Object.values(admission),
  'Priority and fairness': Object.values(flowControl).filter(isDeclaration),
  'Storage and watches': Object.values(storage),
  'Services and other servers': Object.values(services),
  Controllers: Object.values(clients),
  Process: Object.values(process),
}
