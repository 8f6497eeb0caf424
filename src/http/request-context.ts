import type { Query, User } from '../registry/context.ts'
import type { Decision } from '../authz/authorizer.ts'
import type { BodyShare } from './body-memory.ts'
import type { AuditAnnotation, Context, FilterWait, ServerState } from './context.ts'
import type { Exchange, HeaderList } from './exchange.ts'
import type { Form } from './form.ts'
import { NO_REQUEST } from './request-info.ts'
import type { Held } from './request-limits.ts'
import type { RequestRecord } from './request-record.ts'
import { RequestTarget } from './request-target.ts'

const NOBODY: User = { name: '', uid: '', groups: [], extra: {} }

/** Whether this is the placeholder for a user that is not known yet. */
export const isNobody = (user: User): boolean => user === NOBODY

/** Each warning takes at least one character of their common limit in a response. */
const MAX_WARNINGS = 4096

/** The context of a new request. Members that most requests do not use are created on first write. */
export class RequestContext implements Context {
  readonly server: ServerState
  readonly exchange: Exchange
  readonly request: RequestTarget
  info = NO_REQUEST
  user = NOBODY
  declare impersonator?: User
  mayImpersonate = true
  step = 0
  wait: FilterWait | null = null
  readonly headers: HeaderList = []
  warnings: Set<string> | null = null
  auditAnnotations: Map<string, AuditAnnotation> | null = null
  bodyShare: BodyShare | null = null
  holds: Held | null = null
  decision: Decision | null = null
  record: RequestRecord | null = null
  showsTables = true
  hasBinary = true
  form: Form | null = null
  limitMs = Infinity
  deadline = Infinity
  place = -1

  constructor(server: ServerState, exchange: Exchange) {
    this.server = server
    this.exchange = exchange
    this.request = exchange.request ?? new RequestTarget(exchange.method, exchange.target)
  }

  get path(): string {
    return this.request.path
  }
  get query(): Query {
    return this.request.query
  }

  warn(text: string): void {
    const warnings = (this.warnings ??= new Set())
    if (warnings.size < MAX_WARNINGS) warnings.add(text)
  }
  annotate(key: string, value: string, level: AuditAnnotation['level'] = 'Metadata'): void {
    const annotations = (this.auditAnnotations ??= new Map())
    const present = annotations.get(key)
    if (!present) annotations.set(key, { value, level })
    else if (present.value !== value)
      this.server.log.warn('an audit annotation was set twice, the first value is kept', { key })
  }
}
