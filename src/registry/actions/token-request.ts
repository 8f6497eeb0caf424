import { formatTime, ZERO_TIME } from '../../base/time.ts'
import {
  DEFAULT_TOKEN_SECONDS,
  type BoundObjectReference,
  type TokenRequest,
} from '../../kinds/authentication/token-request.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { ServiceAccount } from '../../kinds/core/service-account.ts'
import type { ResourceEntry } from '../../catalogue/catalogue.ts'
import { badRequest, conflict, invalid, noSuchResource, notFound } from '../../meta/errors.ts'
import { FieldErrors } from '../../meta/field-errors.ts'
import type { Typed } from '../../meta/object-meta.ts'
import type { ActionSubresource } from '../../catalogue/resource.ts'
import { hookContext, keyOf, type TokenRequestDependencies, type Call } from '../context.ts'
import type { TokenOrder } from '../tokens.ts'
import { decodeStored } from '../objects.ts'
import { writeOptions } from '../options.ts'
import { readObject } from '../read-body.ts'
import type { Result } from '../results.ts'
import { CallAttributes, mutatedBy } from '../admission.ts'
import { answer } from './access-reviews.ts'

// Clients cannot set the server-owned fields of metadata.
const OWN_FIELDS = ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'] as const

/**
 * POST on `serviceaccounts/token`: returns a signed token of the account. Nothing is stored. Throws 4xx; 404 also on a
 * server that signs no tokens.
 */
export async function requestToken(
  api: TokenRequestDependencies,
  call: Call,
  action: ActionSubresource,
): Promise<Result> {
  const { tokens } = api
  if (!tokens) throw noSuchResource()
  const kind = api.catalogue.body(action.input)
  const options = writeOptions(call.query, api.v, 'CreateOptions')
  const c = call.context()
  const attributes = new CallAttributes(api, call, {
    operation: 'CREATE',
    object: await readObject({ ...call, served: kind }, options, c),
    old: null,
    dryRun: options.dryRun,
    body: kind,
  })
  const request = await mutatedBy<TokenRequest>(api, attributes)
  checkNames(kind, call, request)
  for (const name of OWN_FIELDS) delete request.metadata[name]
  const account = await read<ServiceAccount>(api, call.served, call.namespace, call.name)

  const { spec, metadata } = request
  if ((spec.audiences ?? []).length === 0) spec.audiences = [...tokens.audiences]
  metadata.name = call.name
  metadata.namespace = call.namespace
  metadata.creationTimestamp = formatTime(c.now)
  request.status = { token: '', expirationTimestamp: ZERO_TIME }
  const errors = new FieldErrors()
  action.validate?.(request, errors, c)
  if (errors.list.length > 0) throw invalid(kind, '', errors.list)
  await api.admission.validate(attributes)

  const issued = await tokens.issue({
    account: { namespace: call.namespace, name: call.name, uid: account.metadata.uid ?? '' },
    audiences: spec.audiences,
    expirationSeconds: spec.expirationSeconds ?? DEFAULT_TOKEN_SECONDS,
    boundObject: await boundObject(api, call, spec.boundObjectRef),
  })
  for (const text of issued.warnings) call.warn(text)
  spec.expirationSeconds = issued.expirationSeconds
  request.status = {
    token: issued.token,
    expirationTimestamp: formatTime(issued.expiresAt),
  }
  return answer({ ...call, served: kind }, request)
}

/** The names in the body must match the path. Throws 422. */
function checkNames(kind: ResourceEntry, call: Call, { metadata }: TokenRequest): void {
  const errors = new FieldErrors()
  for (const [field, wanted] of [
    ['name', call.name],
    ['namespace', call.namespace],
  ] as const) {
    const value = metadata[field] ?? ''
    if (value === '' || value === wanted) continue
    errors
      .at('metadata', field)
      .invalid(value, `must match the service account ${field} if specified`)
    throw invalid(kind, call.name, errors.list)
  }
}

/** The live object that the token is bound to; null for none. Throws 400, 404, 409. */
async function boundObject(
  api: TokenRequestDependencies,
  call: Call,
  reference: BoundObjectReference | undefined,
): Promise<TokenOrder['boundObject']> {
  if (!reference) return null
  const { apiVersion = '', kind = '', name = '', uid: wanted = '' } = reference
  const slash = apiVersion.indexOf('/')
  const group = slash < 0 ? '' : apiVersion.slice(0, slash)
  if (group !== '' || (kind !== 'Pod' && kind !== 'Secret')) {
    const version = apiVersion.slice(slash + 1)
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`)
  }
  const served = api.catalogue.find('', 'v1', kind === 'Pod' ? 'pods' : 'secrets')!
  const object = await read<Typed>(api, served, call.namespace, name)
  if (kind === 'Pod' && (object as Pod).spec.serviceAccountName !== call.name) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(call.name)} to pod running with different serviceaccount name.`,
    )
  }
  const uid = object.metadata.uid ?? ''
  if (wanted !== '' && wanted !== uid) {
    throw conflict(
      { group: '', resource: kind },
      name,
      `the UID in the bound object reference (${wanted}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  }
  return { kind, name, uid }
}

async function read<T extends Typed>(
  api: TokenRequestDependencies,
  served: ResourceEntry,
  namespace: string,
  name: string,
): Promise<T> {
  const table = await api.cache.resourceCache(served.storage)
  const version = name === '' ? null : table.get(keyOf(served, namespace, name))
  if (!version) throw notFound(served.name, name)
  return decodeStored<T>(served, version, hookContext(api))
}
