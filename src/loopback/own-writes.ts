/** Writes of the server itself, as audit sees them: like requests of its user over the network. */
import type { Decision } from '../authz/authorizer.ts'
import { formatJson } from '../codec/json-text.ts'
import type { RequestAudit } from '../http/audit.ts'
import { resultJson } from '../http/represent.ts'
import type { ObjectMeta } from '../meta/object-meta.ts'
import type { Api } from '../registry/context.ts'
import type { OwnWrite, OwnWrites } from '../registry/own-writes.ts'
import { complete, LocalRequest } from './local-request.ts'
import { infoOf, METHODS, targetOf } from './place-info.ts'

/** Nothing asks whether the server may: its user is a member of the group that may do everything. */
const ALLOWED: Decision = { verdict: 'allow', reason: '' }

/** Records the writes of a server. Its start depends on them: they never wait for the audit, nor does it refuse them. */
export function ownWrites(api: () => Api, audit: RequestAudit): OwnWrites {
  return {
    async run(write, work) {
      const record = recordOf(api(), write)
      const begins = audit.begins(record)
      if (begins instanceof Promise) begins.catch(() => {})
      const isWanted = audit.wantsBody(record)
      if (write.object) sent(record, write, isWanted)
      const annotate = record.annotate.bind(record)
      try {
        const result = await work({ ...write.call, record, annotate })
        const { served } = write.call
        // The server changes the object that it has: what it would send is what it stores.
        if (write.verb === 'update' && isWanted)
          record.body = resultJson(api(), served, result).json
        record.answered(served, result)
        record.started(result.status)
        return result
      } catch (error) {
        record.failed(error)
        record.started(record.failure?.code ?? 500)
        throw error
      } finally {
        complete(audit, record)
      }
    },
  }
}

function recordOf(api: Api, { verb, call }: OwnWrite): LocalRequest {
  const { served: of, namespace, name, subresource, user, userAgent } = call
  const place = { of, namespace, name, subresource }
  const record = new LocalRequest({
    api,
    auditId: api.ids.uid(),
    method: METHODS[verb],
    target: targetOf(place, verb),
    info: infoOf(place, verb),
    headers: { 'user-agent': userAgent },
    user,
    impersonator: null,
  })
  record.decision = ALLOWED
  return record
}

function sent(record: LocalRequest, { call, object }: OwnWrite, isWanted: boolean): void {
  const { kind, groupVersion: apiVersion } = call.served
  record.decoded((object as { metadata?: ObjectMeta }).metadata ?? {})
  if (isWanted) record.body = Buffer.from(formatJson({ kind, apiVersion, ...object }))
}
