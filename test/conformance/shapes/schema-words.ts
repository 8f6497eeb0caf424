/** Words for the schemas of definitions, as today's projects write them. */

export type Json = Record<string, unknown>

/** One definition with objects that it takes and refuses. */
export interface Shape {
  readonly plural: string
  readonly kind: string
  /** Properties of the whole object. */
  readonly properties: Json
  /** Keywords of the schema of the whole object. */
  readonly root?: Json
  /** Further members of the first version. */
  readonly version?: Json
  /** Further versions. */
  readonly versions?: readonly Json[]
  /** Further members of the spec of the definition. */
  readonly spec?: Json
  /** Contents of objects that are taken, and what comes of them where that is something else. */
  readonly valid: readonly (Json | readonly [content: Json, kept: Json])[]
  /** Contents of objects that are refused, and why: `field Reason message`. */
  readonly invalid: readonly (readonly [content: Json, ...causes: string[]])[]
  /** Changes of an object that has the first content, as merge patches, and why they are refused; none: they are not. */
  readonly changes?: readonly (readonly [from: Json, change: Json, ...causes: string[]])[]
  /** Why the definition itself is refused; then there are no objects. */
  readonly refused?: readonly string[]
}

export const text: Json = { type: 'string' }
export const flag: Json = { type: 'boolean' }
export const whole: Json = { type: 'integer' }
export const int32: Json = { type: 'integer', format: 'int32' }
export const time: Json = { type: 'string', format: 'date-time' }

export const object = (properties: Json, more: Json = {}): Json => ({
  type: 'object',
  properties,
  ...more,
})
export const list = (items: Json, more: Json = {}): Json => ({ type: 'array', items, ...more })
export const mapOf = (additionalProperties: Json, more: Json = {}): Json => ({
  type: 'object',
  additionalProperties,
  ...more,
})
export const oneOf = (...values: string[]): Json => ({ type: 'string', enum: values })
export const keyed = (keys: readonly string[], items: Json, more: Json = {}): Json =>
  list(items, { 'x-orch-list-type': 'map', 'x-orch-list-map-keys': keys, ...more })
export const setOf = (items: Json, more: Json = {}): Json =>
  list(items, { 'x-orch-list-type': 'set', ...more })
export const rules = (...all: (string | readonly [rule: string, message: string])[]): Json => ({
  'x-orch-validations': all.map((one) =>
    typeof one === 'string' ? { rule: one } : { rule: one[0], message: one[1] },
  ),
})
export const open: Json = { type: 'object', 'x-orch-preserve-unknown-fields': true }
export const anything: Json = { 'x-orch-preserve-unknown-fields': true }
export const either: Json = {
  'x-orch-int-or-string': true,
  anyOf: [{ type: 'integer' }, { type: 'string' }],
}
export const quantity: Json = {
  ...either,
  pattern:
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$',
}
export const embedded = (more: Json = {}): Json => ({
  type: 'object',
  'x-orch-embedded-resource': true,
  'x-orch-preserve-unknown-fields': true,
  ...more,
})

export const conditions: Json = keyed(
  ['type'],
  object(
    {
      type: { ...text, maxLength: 316, pattern: '^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$' },
      status: oneOf('True', 'False', 'Unknown'),
      reason: { ...text, minLength: 1 },
      message: { ...text, maxLength: 32768 },
      lastTransitionTime: time,
      observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
    },
    { required: ['type', 'status'] },
  ),
)
export const selector: Json = object(
  {
    matchLabels: mapOf(text),
    matchExpressions: list(
      object({ key: text, operator: text, values: list(text) }, { required: ['key', 'operator'] }),
    ),
  },
  { 'x-orch-map-type': 'atomic' },
)
export const resources: Json = object({ limits: mapOf(quantity), requests: mapOf(quantity) })
export const container: Json = object(
  {
    name: text,
    image: text,
    args: list(text),
    env: keyed(
      ['name'],
      object(
        { name: text, value: text, valueFrom: object({ fieldRef: open }) },
        { required: ['name'] },
      ),
    ),
    ports: keyed(
      ['containerPort', 'protocol'],
      object(
        { name: text, containerPort: int32, protocol: { ...text, default: 'TCP' } },
        { required: ['containerPort'] },
      ),
    ),
    resources,
  },
  { required: ['name'] },
)
export const podTemplate: Json = object({
  metadata: object({ labels: mapOf(text), annotations: mapOf(text) }),
  spec: object(
    {
      containers: keyed(['name'], container),
      initContainers: keyed(['name'], container),
      nodeSelector: mapOf(text, { 'x-orch-map-type': 'atomic' }),
      terminationGracePeriodSeconds: { type: 'integer', format: 'int64' },
      securityContext: open,
      volumes: list(open),
    },
    { required: ['containers'] },
  ),
})

/** Causes in short. */
export const required = (field: string) => `${field} Required Required value`
export const mistyped = (field: string, wanted: string, found: string) =>
  `${field} TypeInvalid Invalid value: "${found}": ${field} in body must be of type ${wanted}: "${found}"`
export const broken = (field: string, shown: string, why: string) =>
  `${field} Invalid Invalid value: ${shown}: ${why}`
export const inBody = (field: string, shown: string, why: string) =>
  broken(field, shown, `${field} in body ${why}`)
export const unsupported = (field: string, shown: string, ...values: string[]) =>
  `${field} NotSupported Unsupported value: ${shown}: supported values: ${values.map((one) => JSON.stringify(one)).join(', ')}`
export const combined = (field: string, why: string) =>
  broken('<nil>', '""', `"${field}" must ${why}`)
export const failed = (field: string, why: string, type = 'object') =>
  broken(field, `"${type}"`, why)
export const UNCHECKED = broken(
  '<nil>',
  '"null"',
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
)
