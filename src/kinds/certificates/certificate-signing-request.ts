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

/** Certificate request and the identity of the requester. Immutable. */
export class CertificateSigningRequestSpec extends shape({
  /** PKCS#10 certificate request in a PEM block of type `CERTIFICATE REQUEST`, base64-encoded in JSON. Immutable. */
  request: t.bytes(1).required().atomic(),
  /**
   * Name of the signer that is asked for the certificate, such as `example.com/signer`. Only that signer acts on the
   * request. Immutable.
   */
  signerName: t.string(7).required(),
  /** Requested lifetime of the certificate in seconds, at least 600. The signer may issue another one. Immutable. */
  expirationSeconds: t.int32(8).explicit(),
  /** Key usages that the certificate is requested for; at least one, without duplicates. Immutable. */
  usages: t.list(5, KEY_USAGES).atomic(),
  /** Name of the user that created the request. Set by the server. */
  username: t.string(2),
  /** UID of the user that created the request. Set by the server. */
  uid: t.string(3),
  /** Groups of the user that created the request. Set by the server. */
  groups: t.list(4, 'string').atomic(),
  /** Additional attributes of the user that created the request. Set by the server. */
  extra: t.map(6, 'strings'),
}) {}

/** Decision or state of a certificate request. */
export class CertificateSigningRequestCondition extends shape({
  /**
   * Type of the condition, such as `Approved`, `Denied` or `Failed`; these three cannot be removed once set. `Approved`
   * and `Denied` are mutually exclusive.
   */
  type: t.string(1).required(),
  /** Status of the condition: `True`, `False` or `Unknown`. Must be `True` for `Approved`, `Denied` and `Failed`. */
  status: t.string(6).required(),
  /** Machine-readable reason for the condition, in CamelCase. */
  reason: t.string(2),
  /** Human-readable details about the condition. */
  message: t.string(3),
  /** Time at which the condition was last updated. Defaults to the time of the request. */
  lastUpdateTime: t.time(4),
  /** Time at which the status last changed from one value to another. Set by the server if unset. */
  lastTransitionTime: t.time(5),
}) {}

/** Decision on a certificate request and the issued certificate. */
export class CertificateSigningRequestStatus extends shape({
  /** Conditions of the request. `Approved` and `Denied` are set through the `approval` subresource. */
  conditions: t.list(1, CertificateSigningRequestCondition).keyed('type'),
  /** Issued certificate chain in PEM, base64-encoded in JSON. Set by the signer after approval. Immutable once set. */
  certificate: t.bytes(2).atomic(),
}) {}

/**
 * A CertificateSigningRequest asks a signer for an X.509 certificate. It must be approved before the signer issues one.
 */
export class CertificateSigningRequest extends kind({
  /** Requested certificate. Immutable once created. */
  spec: t.object(2, CertificateSigningRequestSpec).required(),
  /** Decision on the request and the issued certificate. Set by approvers and signers. */
  status: t.object(3, CertificateSigningRequestStatus),
}) {}

function condition({
  status: { conditions = [], certificate },
}: CertificateSigningRequest): string {
  const has = (wanted: string) => conditions.some(({ type }) => type === wanted)
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending'
  return `${decision}${has('Failed') ? ',Failed' : ''}${(certificate ?? '') === '' ? '' : ',Issued'}`
}

/** The `certificatesigningrequests` resource. */
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
      description: 'Name of the requested signer.',
    }),
    column('Requestor', 'string', ({ spec }) => spec.username ?? '', {
      description: 'User that created the request.',
    }),
    column(
      'RequestedDuration',
      'string',
      ({ spec: { expirationSeconds: seconds } }) =>
        seconds === undefined ? '<none>' : humanDuration(seconds * 1000),
      { description: 'Requested lifetime of the certificate.' },
    ),
    column('Condition', 'string', condition, {
      description: 'Conditions of the request, or Pending.',
    }),
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
