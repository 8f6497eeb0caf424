/** The text format of older releases: one line with the main members of an event. */
import type { AuditEvent } from './event.ts'
import { sourceAddresses } from './source-addresses.ts'

/** A line of the log in the format `legacy`. */
export function legacyLine({ request, moment }: AuditEvent): string {
  const { user, impersonator, info, headers } = request
  const caller = impersonator ?? user
  const isOther = impersonator !== null && moment.status !== null
  const members: readonly (readonly [string, string])[] = [
    ['id', request.auditId],
    ['stage', moment.stage],
    ['ip', sourceAddresses(headers, request.remoteAddress)[0] ?? '<unknown>'],
    ['method', info?.verb ?? ''],
    ['user', caller?.name || '<none>'],
    ['groups', groupsText(caller?.groups) || '<none>'],
    ['as', isOther ? user!.name : '<self>'],
    ['asgroups', isOther ? groupsText(user!.groups) : '<lookup>'],
    ['user-agent', headers['user-agent'] ?? ''],
    ['namespace', info?.namespace || '<none>'],
    ['uri', request.target],
    ['response', moment.status === null ? '<deferred>' : String(moment.status.code)],
  ]
  const texts = members.map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  const time = new Date(request.receivedAt).toISOString().replace(/\.?0*Z$/, 'Z')
  return `${time} AUDIT: ${texts.join(' ')}\n`
}

const groupsText = (groups: readonly string[] = []): string =>
  groups.map((group) => JSON.stringify(group)).join(',')
