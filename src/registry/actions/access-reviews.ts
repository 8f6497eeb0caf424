/** The reviews that ask what somebody may do (page on review kinds). Nothing is stored. */
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

/** Reviews the access of whom the body names. Throws 4xx. */
export const reviewAccess = (api: AccessReviewDependencies, call: Call): Promise<Result> =>
  review(api, call, true, ({ spec }) => ({
    name: spec.user ?? '',
    uid: spec.uid ?? '',
    groups: spec.groups ?? [],
    extra: spec.extra ?? {},
  }))

/** Reviews the access of who asks. Throws 4xx. */
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
  // Who is refused learns nothing of rules; who reviews others does.
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

// What the server writes of metadata does not count when clients send it.
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
  // The field leaves the kind out of these messages.
  if (errors.list.length > 0) throw invalid({ group: call.served.group, kind: '' }, '', errors.list)
  await api.admission.validate(attributes)
  return object
}

/** The answer to a review: its object, made and forgotten. */
export const answer = (call: Call, object: Typed): Result => ({
  is: 'made',
  status: 201,
  served: call.served,
  object: new Made(call.served.codec.plain(typed(call, object) as never)),
})

// Bodies may leave out what they are: the path says so.
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

/** Lists what who asks may do in a namespace, as far as rules can tell. Throws 400. */
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
