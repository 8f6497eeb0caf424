/** The flags that choose who decides about requests (page on authorization 10). */

const MODES = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'] as const

/** One of the authorizers that can be chosen. */
export type AuthorizationMode = (typeof MODES)[number]

/** What is asked when nothing is chosen. */
export const DEFAULT_MODES: readonly AuthorizationMode[] = ['AlwaysAllow']

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
export const isMode = (text: string): text is AuthorizationMode =>
  (MODES as readonly string[]).includes(text)

/** The modes in order when everything about the flags is right, or else all that is wrong. */
export function checkModes(
  flags: ModeFlags,
): { readonly modes: readonly AuthorizationMode[] } | { readonly errors: readonly string[] } {
  const { modes, policyFile = '', webhookConfigFile = '', webhookVersion = 'v1beta1' } = flags
  const errors: string[] = []
  if (modes.length === 0) errors.push('at least one authorization-mode must be passed')
  for (const mode of modes) {
    if (!isMode(mode)) errors.push(`authorization-mode ${JSON.stringify(mode)} is not a valid mode`)
    if (mode === 'ABAC' && policyFile === '')
      errors.push("authorization-mode ABAC's authorization policy file not passed")
    if (mode === 'Webhook' && webhookConfigFile === '')
      errors.push("authorization-mode Webhook's authorization config file not passed")
  }
  if (policyFile !== '' && !modes.includes('ABAC'))
    errors.push('cannot specify --authorization-policy-file without mode ABAC')
  if (webhookConfigFile !== '' && !modes.includes('Webhook'))
    errors.push('cannot specify --authorization-webhook-config-file without mode Webhook')
  if (new Set(modes).size !== modes.length) {
    const shown = modes.map((mode) => JSON.stringify(mode)).join(' ')
    errors.push(`authorization-mode [${shown}] has mode specified more than once`)
  }
  if (modes.includes('Webhook') && webhookVersion !== 'v1' && webhookVersion !== 'v1beta1') {
    errors.push(
      `unsupported webhook authorizer version ${JSON.stringify(webhookVersion)}, supported versions are "v1", "v1beta1"`,
    )
  }
  return errors.length > 0 ? { errors } : { modes: modes.filter(isMode) }
}
