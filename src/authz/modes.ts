/** The flags that choose the authorizers. */

const MODES = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'] as const

/** One of the authorizers that can be chosen. */
export type AuthorizationMode = (typeof MODES)[number]

/** The flags as they were given. */
export interface ModeFlags {
  /** Items of `--authorization-mode`, in order. */
  readonly modes: readonly string[]
  /** `--authorization-policy-file`; empty without. */
  readonly policyFile?: string
  /** `--authorization-webhook-config-file`; empty without. */
  readonly webhookConfigFile?: string
  /** `--authorization-webhook-version`. */
  readonly webhookVersion?: string
}

/** Splits the value of `--authorization-mode`. */
export const parseModes = (text: string): string[] => (text === '' ? [] : text.split(','))

/** Whether a text names an authorizer. */
const isMode = (text: string): text is AuthorizationMode =>
  (MODES as readonly string[]).includes(text)

/** The modes in order when everything about the flags is right, or else all that is wrong. */
export function checkModes(
  flags: ModeFlags,
): { readonly modes: readonly AuthorizationMode[] } | { readonly errors: readonly string[] } {
  const { modes, policyFile = '', webhookConfigFile = '', webhookVersion = 'v1beta1' } = flags
  const errors: string[] = []
  if (modes.length === 0) errors.push('--authorization-mode needs at least one mode')
  for (const mode of modes) {
    if (!isMode(mode))
      errors.push(`--authorization-mode ${JSON.stringify(mode)} is none of ${MODES.join(', ')}`)
    if (mode === 'ABAC' && policyFile === '')
      errors.push('--authorization-mode ABAC needs --authorization-policy-file')
    if (mode === 'Webhook' && webhookConfigFile === '')
      errors.push('--authorization-mode Webhook needs --authorization-webhook-config-file')
  }
  if (policyFile !== '' && !modes.includes('ABAC'))
    errors.push('--authorization-policy-file needs --authorization-mode ABAC')
  if (webhookConfigFile !== '' && !modes.includes('Webhook'))
    errors.push('--authorization-webhook-config-file needs --authorization-mode Webhook')
  if (new Set(modes).size !== modes.length) {
    const twice = modes.find((mode, i) => modes.indexOf(mode) !== i)
    errors.push(`--authorization-mode names ${JSON.stringify(twice)} twice`)
  }
  if (modes.includes('Webhook') && webhookVersion !== 'v1' && webhookVersion !== 'v1beta1') {
    errors.push(
      `--authorization-webhook-version must be one of v1, v1beta1, not ${JSON.stringify(webhookVersion)}`,
    )
  }
  return errors.length > 0 ? { errors } : { modes: modes.filter(isMode) }
}
