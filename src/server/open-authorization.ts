/** Puts the authorizers together, as the options say. */
import { readFlagFile } from '../base/flag-file.ts'
import { forFlag, forFlagSync } from '../base/plain-reason.ts'
import { alwaysAllow, alwaysDeny } from '../authz/always.ts'
import type { Guard } from '../registry/context.ts'
import type { Attributes, Authorizer, Subject } from '../authz/authorizer.ts'
import { closestRule } from '../authz/closest.ts'
import { CHECKED, checkEscalation, type EscalationDeps } from '../authz/escalation.ts'
import { checkModes, type AuthorizationMode } from '../authz/modes.ts'
import { NodeGraph } from '../authz/node-graph.ts'
import { nodeAuthorizer, nodeNameOf } from '../authz/node.ts'
import { rbacAuthorizer } from '../authz/rbac.ts'
import { RbacIndex } from '../authz/rbac-index.ts'
import { authorizerUnion } from '../authz/union.ts'
import { STANDARD_MODES, type AuthorizationOptions } from './options/authorization-options.ts'
import type { CallObserver } from '../client/json-call.ts'
import type { Clock } from '../base/clock.ts'
import type { Dial } from '../base/dial.ts'
import type { Log } from '../base/log.ts'
import type { ObjectSource } from '../catalogue/object-source.ts'
import type { Registry } from '../metrics/registry.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** Dependencies of authorization. */
export interface AuthorizationParts {
  readonly v: Vocabulary
  readonly clock: Clock
  readonly log: Log
  readonly objects: ObjectSource
  readonly onCall?: CallObserver | undefined
  /** Absent: nothing is measured. */
  readonly metrics?: Registry
  /** Opens connections to the webhook; without it the platform does. */
  readonly through?: Dial | undefined
}

/** Authorization of a running server. */
export interface Authorization {
  readonly modes: readonly AuthorizationMode[]
  readonly authorizer: Authorizer
  /**
   * Roles and bindings, which limit the permissions that a user may grant, whichever authorizers decide about requests.
   */
  readonly rbac: RbacIndex
  /** The rule closest to the refused request; empty when none is near. */
  closest(user: Subject, attributes: Attributes): string
  /** Users may grant only permissions that they hold. */
  readonly guards: ReadonlyMap<string, Guard>
  close(): void
}

/** The modes of the options in order. Throws an Error when the server cannot start with them. */
function authorizationModes(options: AuthorizationOptions): readonly AuthorizationMode[] {
  const checked = checkModes({
    modes: options.modes ?? STANDARD_MODES,
    ...(options.policyFile === undefined ? {} : { policyFile: options.policyFile }),
    ...(options.webhook
      ? {
          webhookConfigFile: options.webhook.configFile,
          ...(options.webhook.version === undefined
            ? {}
            : { webhookVersion: options.webhook.version }),
        }
      : {}),
  })
  if ('errors' in checked) throw new Error(checked.errors.join('; '))
  return checked.modes
}

/** Whether roles and bindings decide. Throws as above. */
export const usesRbac = (options: AuthorizationOptions = {}): boolean =>
  authorizationModes(options).includes('RBAC')

/** Reads files and stored objects. Throws an Error when the server cannot start with them. */
export async function openAuthorization(
  options: AuthorizationOptions,
  parts: AuthorizationParts,
): Promise<Authorization> {
  const { v, objects } = parts
  const modes = authorizationModes(options)
  const rbac = new RbacIndex()
  const closers = [await rbac.follow(objects, v)]
  const close = () => {
    for (const end of closers.splice(0)) end()
  }
  const opened: Authorizer[] = []
  try {
    for (const mode of modes) opened.push(await open(mode, options, { ...parts, rbac, closers }))
  } catch (error) {
    close()
    throw error
  }
  const authorizer = authorizerUnion(opened)
  return {
    modes,
    authorizer,
    rbac,
    closest: (user, attributes) => closestRule(rbac, user, attributes)?.text ?? '',
    guards: guards({ authorizer, index: rbac, v }),
    close,
  }
}

function guards(deps: EscalationDeps): Map<string, Guard> {
  const group = deps.v.resolve('rbac.authorization{api}')
  const guard: Guard = ({ call, object, old }) =>
    checkEscalation(
      {
        operation: old ? 'update' : 'create',
        resource: call.served.resource,
        user: call.user,
        namespace: call.namespace,
        requestName: call.name,
        object,
        old,
      },
      deps,
    )
  return new Map(CHECKED.map((resource) => [`${group}/${resource}`, guard]))
}

interface Opening extends AuthorizationParts {
  readonly rbac: RbacIndex
  readonly closers: (() => void)[]
}

async function open(
  mode: AuthorizationMode,
  options: AuthorizationOptions,
  parts: Opening,
): Promise<Authorizer> {
  switch (mode) {
    case 'AlwaysAllow':
      return alwaysAllow
    case 'AlwaysDeny':
      return alwaysDeny
    case 'RBAC':
      return rbacAuthorizer(parts.rbac, parts.v)
    case 'Node':
      return lazyNodeAuthorizer(parts)
    case 'ABAC':
      return policies(options.policyFile ?? '', parts)
    case 'Webhook':
      return webhook(options.webhook!, parts)
  }
}

/** The graph of objects that nodes need exists from the first request of a node: many servers never see one. */
function lazyNodeAuthorizer({ v, objects, closers, metrics }: Opening): Authorizer {
  let ready: Authorizer | null = null
  let starting: Promise<Authorizer> | null = null
  let isOver = false
  closers.push(() => {
    isOver = true
  })
  const start = async () => {
    const graph = new NodeGraph(v)
    const { measuredGraph } = await import('./metrics/graph-metrics.ts')
    const stop = await graph.follow(metrics ? measuredGraph(objects, metrics) : objects, v)
    if (isOver) stop()
    else closers.push(stop)
    return (ready = nodeAuthorizer(graph, v))
  }
  const known = (): Authorizer | Promise<Authorizer> =>
    ready ??
    (starting ??= start().catch((error: unknown) => {
      // The next request of a node tries again.
      starting = null
      throw error
    }))
  return {
    name: 'Node',
    authorize(user, attributes) {
      if (nodeNameOf(user) === null) return NO_OPINION
      const nodes = known()
      return nodes instanceof Promise
        ? nodes.then((found) => found.authorize(user, attributes))
        : nodes.authorize(user, attributes)
    },
    rulesFor(user, namespace) {
      if (nodeNameOf(user) === null) return NO_RULES
      const nodes = known()
      return nodes instanceof Promise
        ? nodes.then((found) => found.rulesFor(user, namespace))
        : nodes.rulesFor(user, namespace)
    },
  }
}

const NO_OPINION = { verdict: 'no opinion', reason: '' } as const
const NO_RULES = { resourceRules: [], nonResourceRules: [], incomplete: false, error: '' } as const

async function policies(path: string, { v, log }: Opening): Promise<Authorizer> {
  const { abacAuthorizer, parsePolicyFile } = await import('../authz/abac.ts')
  const flag = 'authorization-policy-file'
  const text = await readFlagFile(flag, path)
  const { policies, hasUnversioned } = forFlagSync(flag, () => parsePolicyFile(text, path, v))
  if (hasUnversioned) log.warn('the policy file has policies without a version', { path })
  return abacAuthorizer(policies)
}

async function webhook(
  options: NonNullable<AuthorizationOptions['webhook']>,
  { v, clock, log, closers, onCall, metrics, through }: Opening,
): Promise<Authorizer> {
  const { webhookAuthorizer } = await import('../authz/webhook.ts')
  const { configuredClient } = await import('./webhook-client.ts')
  const client = await forFlag('authorization-webhook-config-file', () =>
    configuredClient(options.configFile, { v, clock, onCall, metrics, through }),
  )
  closers.push(() => client.close())
  const { version, authorizedTtlMs, unauthorizedTtlMs } = options
  return webhookAuthorizer({
    client,
    v,
    clock,
    log,
    ...(version === undefined ? {} : { version }),
    ...(authorizedTtlMs === undefined ? {} : { authorizedTtlMs }),
    ...(unauthorizedTtlMs === undefined ? {} : { unauthorizedTtlMs }),
  })
}
