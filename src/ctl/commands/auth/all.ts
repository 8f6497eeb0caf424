/** auth can-i, reconcile, whoami. */
import { findResource } from '../../api/resources.ts'
import { Done, dryRunFlag, dryRunOf, fileFlags, requireFiles } from '../../api/writing.ts'
import type { Impersonation } from '../../../client/client-config.ts'
import type { ApiObject } from '../../../client/transport.ts'
import { parseJson } from '../../../codec/json-text.ts'
import { StatusError } from '../../../meta/errors.ts'
import { sameJson } from '../../../patch/json-value.ts'
import type { Command } from '../../base/command.ts'
import type { Context } from '../../base/context.ts'
import { Fault, SilentExit } from '../../base/faults.ts'
import { Columns } from '../../print/columns.ts'
import { formatOf, outputFlags, printerOf } from '../../print/output.ts'

interface Review {
  readonly status?: {
    readonly allowed?: boolean
    readonly reason?: string
    readonly evaluationError?: string
  }
}

export const canI: Command = {
  use: 'VERB [TYPE | TYPE/NAME | NONRESOURCEURL]',
  text: 'Shows whether an action is allowed.',
  examples: [
    ['In this namespace', 'auth can-i create deployments'],
    ['As another user', 'auth can-i list pods --as=system:serviceaccount:default:robot'],
    ['Everything', 'auth can-i --list'],
  ],
  flags: {
    'all-namespaces': {
      type: 'bool',
      short: 'A',
      help: 'If true, check the specified action in all namespaces.',
    },
    list: { type: 'bool', help: 'If true, prints all allowed actions.' },
    'no-headers': { type: 'bool', help: 'If true, prints allowed actions without headers' },
    quiet: {
      type: 'bool',
      short: 'q',
      help: 'If true, suppress output and just return the exit code.',
    },
    subresource: { type: 'text', help: 'SubResource such as pod/log or deployment/scale' },
  },
  async run(c) {
    if (c.flags.is('list')) return list(c)
    const [verb = '', what = '', ...more] = c.args
    if (verb === '' || what === '' || more.length > 0) {
      throw new Fault(
        'error: you must specify two or three arguments: verb, resource, and optional resourceName',
      )
    }
    const v = await c.words()
    if (!(what.startsWith('/') ? PATH_VERBS : VERBS).has(verb))
      c.err(`Warning: verb '${verb}' is not a known verb\n\n`)
    const spec = what.startsWith('/')
      ? { nonResourceAttributes: { path: what, verb } }
      : { resourceAttributes: await resourceOf(c, verb, what) }
    const api = await c.api()
    const group = v.resolve('authorization{api}')
    const { status } = await api.json<Review>({
      method: 'POST',
      path: `/apis/${group}/v1/selfsubjectaccessreviews`,
      body: { apiVersion: `${group}/v1`, kind: 'SelfSubjectAccessReview', spec },
    })
    const { allowed = false, reason = '', evaluationError = '' } = status ?? {}
    if (!c.flags.is('quiet')) {
      const why = [
        reason === '' ? '' : ` - ${reason}`,
        evaluationError === '' ? '' : ` - ${evaluationError}`,
      ].join('')
      c.out(`${allowed ? 'yes' : 'no'}${allowed ? '' : why}\n`)
    }
    if (!allowed) throw new SilentExit(1)
  },
}

// Others are asked for as well, since anything may be in a role.
const VERBS = new Set([
  ...['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
  ...['use', 'bind', 'impersonate', '*'],
])
const PATH_VERBS = new Set(['get', 'put', 'post', 'head', 'options', 'delete', 'patch', '*'])

async function resourceOf(c: Context, verb: string, text: string): Promise<object> {
  const [word = '', name = ''] = text.split('/')
  const { name: namespace } = c.flags.is('all-namespaces') ? { name: '' } : await c.namespace()
  let [group, resource] = ['', word]
  let isNamespaced = true
  if (word !== '*') {
    try {
      const found = await findResource(await c.discovery(), word)
      ;[group, resource, isNamespaced] = [found.group, found.name, found.namespaced]
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      c.err(`Warning: the server doesn't have a resource type '${word}'\n\n`)
      const dot = word.indexOf('.')
      if (dot !== -1) [resource, group] = [word.slice(0, dot), word.slice(dot + 1)]
    }
  } else group = '*'
  if (!isNamespaced && (await c.namespace()).name !== '' && !c.flags.is('quiet')) {
    const qualified = group === '' ? '' : ` in group '${group}'`
    c.err(`Warning: resource '${resource}' is not namespace scoped${qualified}\n\n`)
  }
  const sub = c.flags.text('subresource')
  return {
    ...(namespace === '' ? {} : { namespace }),
    verb,
    ...(group === '' ? {} : { group }),
    resource,
    ...(sub === '' ? {} : { subresource: sub }),
    ...(name === '' ? {} : { name }),
  }
}

interface Rules {
  readonly status?: {
    readonly resourceRules?: readonly {
      verbs: string[]
      apiGroups?: string[]
      resources?: string[]
      resourceNames?: string[]
    }[]
    readonly nonResourceRules?: readonly { verbs: string[]; nonResourceURLs?: string[] }[]
    readonly incomplete?: boolean
    readonly evaluationError?: string
  }
}

async function list(c: Context): Promise<void> {
  const v = await c.words()
  const group = v.resolve('authorization{api}')
  const api = await c.api()
  const { status } = await api.json<Rules>({
    method: 'POST',
    path: `/apis/${group}/v1/selfsubjectrulesreviews`,
    body: {
      apiVersion: `${group}/v1`,
      kind: 'SelfSubjectRulesReview',
      spec: { namespace: (await c.namespace()).name },
    },
  })
  if (status?.incomplete)
    c.err(`warning: the list may be incomplete: ${status.evaluationError ?? ''}\n`)
  const shown = (texts: readonly string[] = []) => `[${texts.join(' ')}]`
  const rows = [
    ...(status?.resourceRules ?? []).flatMap((rule) =>
      (rule.resources ?? []).flatMap((resource) =>
        (rule.apiGroups ?? ['']).map((one) => [
          one === '' || resource === '' ? resource : `${resource}.${one}`,
          '[]',
          shown(rule.resourceNames),
          shown(rule.verbs),
        ]),
      ),
    ),
    ...(status?.nonResourceRules ?? []).map((rule) => [
      '',
      shown(rule.nonResourceURLs),
      '[]',
      shown(rule.verbs),
    ]),
  ]
  const head = ['Resources', 'Non-Resource URLs', 'Resource Names', 'Verbs']
  c.out(new Columns().format(c.flags.is('no-headers') ? rows : [head, ...rows]))
}

export const whoami: Command = {
  use: '[flags]',
  text: 'Shows who the server takes the user for, by the certificate or the token that is sent.',
  flags: outputFlags,
  async run(c) {
    const v = await c.words()
    const shown = await (await c.api()).credentials()
    const user = await userOf(c, shown)
    const format = formatOf(c, false)
    if (format.name !== '') {
      const object = {
        apiVersion: v.resolve('authentication{api}/v1'),
        kind: 'TokenReview',
        status: { user },
      }
      return c.out(await (await printerOf(c, format))(object as unknown as ApiObject))
    }
    const rows = [
      ['ATTRIBUTE', 'VALUE'],
      ['Username', user.username],
      ...(user.uid ? [['UID', user.uid]] : []),
      ...(user.groups && user.groups.length > 0 ? [['Groups', `[${user.groups.join(' ')}]`]] : []),
    ]
    c.out(new Columns().format(rows))
  },
}

interface User {
  readonly username: string
  readonly uid?: string
  readonly groups?: readonly string[]
}

async function userOf(
  c: Context,
  shown: { cert?: string; secrets: readonly string[] },
): Promise<User> {
  const { config } = await c.chosen()
  if (config.impersonate) return impersonated(c, config.impersonate)
  const [token] = shown.secrets
  if (token !== undefined && config.password === undefined) {
    const group = (await c.words()).resolve('authentication{api}')
    const api = await c.api()
    let review: { status?: { user?: User; error?: string } }
    try {
      review = await api.json({
        method: 'POST',
        path: `/apis/${group}/v1/tokenreviews`,
        body: { apiVersion: `${group}/v1`, kind: 'TokenReview', spec: { token } },
      })
    } catch (error) {
      // The server knows the user, who may not ask: the token of an account says whose it is.
      const user = error instanceof StatusError && error.reason === 'Forbidden' && accountOf(token)
      if (!user) throw error
      return user
    }
    if (!review.status?.user?.username)
      throw new Fault(`error: the server does not accept the token: ${review.status?.error ?? ''}`)
    return review.status.user
  }
  if (shown.cert === undefined)
    return { username: 'system:anonymous', groups: ['system:unauthenticated'] }
  await ask(c)
  const { X509Certificate } = await import('node:crypto')
  const parts = new X509Certificate(shown.cert).subject.split('\n')
  const of = (key: string) =>
    parts.filter((part) => part.startsWith(`${key}=`)).map((part) => part.slice(key.length + 1))
  return { username: of('CN')[0] ?? '', groups: [...of('O'), 'system:authenticated'] }
}

/** Asks what everybody may ask. Rejects with StatusError where the server does not accept the user. */
async function ask(c: Context): Promise<void> {
  const group = (await c.words()).resolve('authorization{api}')
  await (
    await c.api()
  ).json({
    method: 'POST',
    path: `/apis/${group}/v1/selfsubjectaccessreviews`,
    body: {
      apiVersion: `${group}/v1`,
      kind: 'SelfSubjectAccessReview',
      spec: { nonResourceAttributes: { path: '/', verb: 'get' } },
    },
  })
}

/** A user who is impersonated, if the server lets this one. Rejects with StatusError otherwise. */
async function impersonated(c: Context, { user, uid, groups }: Impersonation): Promise<User> {
  await ask(c)
  const given = groups.length > 0 ? groups : (accountGroups(user) ?? [])
  const isSomebody = user !== 'system:anonymous' && !given.includes('system:authenticated')
  return { username: user, uid, groups: isSomebody ? [...given, 'system:authenticated'] : given }
}

/** The account of a token that the server has issued; null for other tokens. */
function accountOf(token: string): User | null {
  try {
    const claims = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url')) as {
      sub?: unknown
    }
    const username = String(claims.sub)
    const groups = accountGroups(username)
    return groups && { username, groups: [...groups, 'system:authenticated'] }
  } catch {
    return null
  }
}

/** Groups that an account is in by its name; null for other users. */
function accountGroups(username: string): readonly string[] | null {
  const namespace = /^system:serviceaccount:([^:]+):[^:]+$/.exec(username)?.[1]
  return namespace === undefined
    ? null
    : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
}

export const reconcile: Command = {
  use: '-f FILENAME',
  text: 'Adds what roles and bindings of files have and the live ones lack.',
  flags: {
    ...outputFlags,
    ...fileFlags,
    ...dryRunFlag,
    'remove-extra-permissions': {
      type: 'bool',
      help: 'If true, removes extra permissions added to roles',
    },
    'remove-extra-subjects': {
      type: 'bool',
      help: 'If true, removes extra subjects added to rolebindings',
    },
  },
  async run(c) {
    requireFiles(c)
    const { readObjects } = await import('../../api/builder.ts')
    const done = await Done.of(c)
    for (const { object, of, namespace } of await readObjects(c)) {
      const { resourcePath } = await import('../../api/resources.ts')
      const field = of.kind.endsWith('Binding') ? 'subjects' : 'rules'
      if (!/^(Cluster)?Role(Binding)?$/.test(of.kind))
        throw new Fault(`error: only rbac objects can be reconciled, not ${of.kind}`)
      const api = await c.api()
      const path = resourcePath(of, namespace, object.metadata.name)
      const query = dryRunOf(c) === 'server' ? { dryRun: 'All' } : {}
      let live: (ApiObject & Record<string, unknown>) | null = null
      try {
        live = await api.json<ApiObject & Record<string, unknown>>({ path })
      } catch (error) {
        if (!(error instanceof StatusError) || error.reason !== 'NotFound') throw error
      }
      const wanted = ((object as unknown as Record<string, unknown>)[field] ?? []) as unknown[]
      const old = (live?.[field] ?? []) as unknown[]
      const removes = c.flags.is(
        field === 'rules' ? 'remove-extra-permissions' : 'remove-extra-subjects',
      )
      const isThere = (one: unknown) => old.some((other) => sameJson(one, other))
      const missing = !live
        ? wanted
        : field === 'rules'
          ? uncovered(wanted as Item[], old as Item[])
          : wanted.filter((one) => !isThere(one))
      const isWanted = (one: unknown) => wanted.some((other) => sameJson(one, other))
      const extra = removes ? old.filter((one) => !isWanted(one)) : []
      const merged = removes ? wanted : [...old, ...missing]
      const body = live ? { ...live, [field]: merged } : object
      if (dryRunOf(c) === 'client' || (live && sameJson(merged, old))) {
        await done.say(body, 'reconciled')
        if (!live || !sameJson(merged, old)) c.err(report(live !== null, field, { missing, extra }))
        continue
      }
      const sent = live
        ? await api.json<ApiObject>({ method: 'PUT', path, query, body })
        : await api.json<ApiObject>({
            method: 'POST',
            path: resourcePath(of, namespace),
            query,
            body,
          })
      await done.say(sent, 'reconciled')
      c.err(report(live !== null, field, { missing, extra }))
    }
  },
}

type Item = Readonly<Record<string, unknown>>

const RULE_LISTS = ['apiGroups', 'resources', 'resourceNames', 'nonResourceURLs', 'verbs'] as const

/** What rules allow that others do not, one for each verb and each thing. */
function uncovered(wanted: readonly Item[], old: readonly Item[]): Item[] {
  const single = (rule: Item): Item[] =>
    RULE_LISTS.reduce<Item[]>(
      (rules, list) => {
        const values = (rule[list] ?? []) as string[]
        if (values.length === 0) return rules
        return rules.flatMap((one) => values.map((value) => ({ ...one, [list]: [value] })))
      },
      [{}],
    )
  const covers = (rule: Item, one: Item) =>
    RULE_LISTS.every((list) => {
      const [has, wants] = [rule, one].map((of) => (of[list] ?? []) as string[])
      if (list === 'resourceNames' && has!.length === 0) return true
      return wants!.length === 0
        ? has!.length === 0
        : has!.includes('*') || has!.includes(wants![0]!)
    })
  return wanted.flatMap(single).filter((one) => !old.some((rule) => covers(rule, one)))
}

/** What had to be changed, as people know it. */
function report(
  isThere: boolean,
  field: 'rules' | 'subjects',
  { missing, extra }: Readonly<Record<'missing' | 'extra', readonly unknown[]>>,
): string {
  const list = (value: unknown) => `[${((value ?? []) as unknown[]).join(' ')}]`
  const text = (item: Item) =>
    field === 'rules'
      ? `{Verbs:${list(item.verbs)} APIGroups:${list(item.apiGroups)} Resources:${list(item.resources)} ResourceNames:${list(item.resourceNames)} NonResourceURLs:${list(item.nonResourceURLs)}}`
      : `{Kind:${String(item.kind)} APIGroup:${String(item.apiGroup ?? '')} Name:${String(item.name)} Namespace:${String(item.namespace ?? '')}}`
  const part = (what: string, items: readonly unknown[]) =>
    items.length === 0
      ? ''
      : `\tmissing ${field} ${what}:\n${items.map((item) => `\t\t${text(item as Item)}\n`).join('')}`
  const parts = part('added', missing) + part('removed', extra).replace('missing', 'extra')
  return `\treconciliation required ${isThere ? 'update' : 'create'}\n${parts}`
}
