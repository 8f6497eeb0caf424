import { humanDuration } from '../../base/human-duration.ts'
import { isPathSegmentName } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { column, part, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { keepDecisions, stampConditions } from './conditions.ts'
import { KEY_USAGES } from './usages.ts'
import { validateRequest } from './validate.ts'
import {
  validateApproval,
  validateMetadataChange,
  validateStatusChange,
} from './validate-update.ts'

const { kind, shape } = group('certificates{api}/v1')

/** What is asked for, and by whom. Nothing of it can change. */
export class CertificateSigningRequestSpec extends shape({
  /** The request itself: PKCS#10 as PEM, with the label `CERTIFICATE REQUEST`. */
  request: t.bytes(1).required().atomic(),
  /** Who is to sign, as `domain/path`, for instance `example.com/signer`. */
  signerName: t.string(7).required(),
  /** Seconds the certificate is wished to be good for, at least 600; the signer may choose others. */
  expirationSeconds: t.int32(8).explicit(),
  /** What the certificate is to be used for, at least one; each once. */
  usages: t.list(5, KEY_USAGES).atomic(),
  /** Name of who asks; the server fills it. */
  username: t.string(2),
  /** uid of who asks; the server fills it. */
  uid: t.string(3),
  /** Groups of who asks; the server fills them. */
  groups: t.list(4, 'string').atomic(),
  /** What else is known of who asks; the server fills it. */
  extra: t.map(6, 'strings'),
}) {}

/** What became of a request, in one respect. */
export class CertificateSigningRequestCondition extends shape({
  /** `Approved`, `Denied`, `Failed`, or another. The first three cannot be taken back. */
  type: t.string(1).required(),
  /** `True`, `False` or `Unknown`; `True` alone for the first three types. */
  status: t.string(6).required(),
  /** Why, as one word. */
  reason: t.string(2),
  /** Why, for people. */
  message: t.string(3),
  /** When it was last looked at; now when left out. */
  lastUpdateTime: t.time(4),
  /** When the status last changed; filled when left out. */
  lastTransitionTime: t.time(5),
}) {}

/** What became of a request. */
export class CertificateSigningRequestStatus extends shape({
  /** What was decided about it. */
  conditions: t.list(1, CertificateSigningRequestCondition).keyed('type'),
  /** The certificate once it is signed, as PEM; it cannot change. */
  certificate: t.bytes(2).atomic(),
}) {}

/** Asks a signer for a certificate. */
export class CertificateSigningRequest extends kind({
  /** What is asked for. */
  spec: t.object(2, CertificateSigningRequestSpec).required(),
  /** What became of it. */
  status: t.object(3, CertificateSigningRequestStatus),
}) {}

function condition({
  status: { conditions = [], certificate },
}: CertificateSigningRequest): string {
  const has = (wanted: string) => conditions.some(({ type }) => type === wanted)
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending'
  return `${decision}${has('Failed') ? ',Failed' : ''}${(certificate ?? '') === '' ? '' : ',Issued'}`
}

/** The requests for certificates. */
export const certificateSigningRequests = resource(CertificateSigningRequest, {
  plural: 'certificatesigningrequests',
  short: ['csr'],
  scope: 'cluster',
  nameRule: isPathSegmentName,
  deleteAnswers: 'status',
  noNamespaceSelector: true,
  selectable: { 'spec.signerName': ({ spec }) => spec.signerName },
  columns: [
    nameColumn,
    ageColumn,
    column('SignerName', 'string', ({ spec }) => spec.signerName || '<none>', {
      description: 'Who is to sign.',
    }),
    column('Requestor', 'string', ({ spec }) => spec.username ?? '', {
      description: 'Who asks.',
    }),
    column(
      'RequestedDuration',
      'string',
      ({ spec: { expirationSeconds: seconds } }) =>
        seconds === undefined ? '<none>' : humanDuration(seconds * 1000),
      { description: 'How long the certificate is wished to be good for.' },
    ),
    column('Condition', 'string', condition, { description: 'What became of it.' }),
  ],

  unowned: ['spec', 'status'],

  subresources: {
    approval: part('status.conditions', {
      unowned: ['spec', 'status.certificate'],
      prepareForUpdate: stampConditions,
      validateUpdate: validateApproval,
    }),
    status: part('status', {
      unowned: ['spec', 'status.conditions'],
      prepareForUpdate(next, old, c) {
        keepDecisions(next.status, old.status)
        stampConditions(next, old, c)
      },
      validateUpdate: validateStatusChange,
    }),
  },

  prepareForCreate(request, { user }) {
    const { spec } = request
    request.status = {}
    for (const name of ['username', 'uid', 'groups', 'extra'] as const) delete spec[name]
    if (!user) return
    if (user.name !== '') spec.username = user.name
    if (user.uid !== '') spec.uid = user.uid
    if (user.groups.length > 0) spec.groups = [...user.groups]
    const extra = Object.entries(user.extra)
    if (extra.length > 0) {
      spec.extra = Object.fromEntries(extra.map(([key, values]) => [key, [...values]]))
    }
  },

  prepareForUpdate(next, old) {
    next.spec = structuredClone(old.spec)
  },

  validate: validateRequest,
  validateUpdate: validateMetadataChange,
})
