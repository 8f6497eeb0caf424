/** Access reviews: what a user may do. Nothing is stored. */
import type { Typed } from '../../meta/object-meta.ts'
import { badRequest, invalid } from '../../meta/errors.ts'
import { FieldErrors } from '../../meta/field-errors.ts'
import type { Attributes } from '../../authz/authorizer.ts'
import {
  type AccessReviewDependencies,
  type ActionDependencies,
  type Call,
  type User,
} from '../context.ts'
import { writeOptions } from '../options.ts'
import { readObject } from '../read-body.ts'
import { Made, type Result } from '../results.ts'
import { CallAttributes, mutatedBy } from '../admission.ts'
import { takeNamespace } from '../write.ts'

interface ResourceAttributes {
  readonly namespace?: string
  readonly verb?: string
  readonly group?: string
  readonly version?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
}

interface AccessReview extends Typed {
  spec: {
    readonly resourceAttributes?: ResourceAttributes
    readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
    readonly user?: string
    readonly uid?: string
    readonly groups?: readonly string[]
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
  status?: { allowed: boolean; denied?: boolean; reason?: string; evaluationError?: string }
}

/** Reviews the access of the user that the body names. Throws 4xx. */
export const reviewAccess = (api: AccessReviewDependencies, call: Call): Promise<Result> =>
  review(api, call, true, ({ spec }) => ({
    name: spec.user ?? '',
    uid: spec.uid ?? '',
    groups: spec.groups ?? [],
    extra: spec.extra ?? {},
  }))

/** Reviews the access of the requesting user. Throws 4xx. */
export const reviewOwnAccess = (api: AccessReviewDependencies, call: Call): Promise<Result> =>
  review(api, call, false, () => call.user)

async function review(
  api: AccessReviewDependencies,
  call: Call,
  explains: boolean,
  subject: (review: AccessReview) => User,
): Promise<Result> {
  const object = await admitted<AccessReview>(api, call)
  const [user, asked] = [subject(object), attributesOf(object)]
  const { verdict, reason: said, error } = await api.authorizer.authorize(user, asked)
  // A denied user must not learn about rules; a user who reviews others may.
  const isUnexplained = explains && said === '' && verdict !== 'allow'
  const reason = isUnexplained ? (api.closestRule?.(user, asked) ?? '') : said
  object.status = {
    allowed: verdict === 'allow',
    ...(verdict === 'deny' ? { denied: true } : {}),
    ...(reason === '' ? {} : { reason }),
    ...(error === undefined ? {} : { evaluationError: error }),
  }
  return answer(call, object)
}

// Clients cannot set the server-owned fields of metadata.
const OWN_FIELDS = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
] as const

/** Reads the body, checks it and lets admission see it. Throws 4xx. */
export async function admitted<T extends Typed>(api: ActionDependencies, call: Call): Promise<T> {
  const options = writeOptions(call.query, api.v, 'CreateOptions')
  const c = call.context()
  const sent = await readObject(call, options, c)
  takeNamespace(call, sent)
  for (const name of OWN_FIELDS) delete sent.metadata[name]
  const attributes = new CallAttributes(api, call, {
    operation: 'CREATE',
    object: sent,
    old: null,
    dryRun: options.dryRun,
  })
  const object = await mutatedBy<T>(api, attributes)
  const errors = new FieldErrors()
  call.served.strategy.validate?.(object, errors, c)
  // The reference leaves the kind out of these messages.
  if (errors.list.length > 0) throw invalid({ group: call.served.group, kind: '' }, '', errors.list)
  await api.admission.validate(attributes)
  return object
}

/** The response to a review: its object, which is not persisted. */
export const answer = (call: Call, object: Typed): Result => ({
  is: 'made',
  status: 201,
  served: call.served,
  object: new Made(call.served.codec.plain(typed(call, object) as never)),
})

// Bodies may omit kind and apiVersion: the path implies them.
const typed = ({ served }: Call, object: Typed): Typed => ({
  ...object,
  kind: served.kind,
  apiVersion: served.groupVersion,
})

function attributesOf({ spec }: AccessReview): Attributes {
  const { resourceAttributes: r, nonResourceAttributes: n } = spec
  return {
    isResource: r !== undefined,
    verb: (r ? r.verb : n?.verb) ?? '',
    path: n?.path ?? '',
    group: r?.group ?? '',
    version: r?.version ?? '',
    resource: r?.resource ?? '',
    subresource: r?.subresource ?? '',
    namespace: r?.namespace ?? '',
    name: r?.name ?? '',
  }
}

/** Lists what the requesting user may do in a namespace, as far as rules can tell. Throws 400. */
export async function reviewOwnRules(api: AccessReviewDependencies, call: Call): Promise<Result> {
  const object = await admitted<Typed & { spec: { namespace?: string }; status?: object }>(
    api,
    call,
  )
  if (object.spec.namespace === undefined) throw badRequest('no namespace on request')
  const { resourceRules, nonResourceRules, incomplete, error } = await api.authorizer.rulesFor(
    call.user,
    object.spec.namespace,
  )
  return answer(call, {
    metadata: {},
    spec: {},
    status: {
      resourceRules,
      nonResourceRules,
      incomplete,
      ...(error === '' ? {} : { evaluationError: error }),
    },
  } as Typed)
}
