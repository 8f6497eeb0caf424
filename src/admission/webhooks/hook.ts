/** Webhooks of configurations, ready to be matched. */
import type { MutatingWebhook } from '../../kinds/admissionregistration/webhook.ts'
import { isEverything, selectorFromObject, type LabelSelector } from '../../meta/selectors.ts'

/** A webhook as configured; a validating one has no `reinvocationPolicy`. */
export type ConfiguredWebhook = Omit<MutatingWebhook, 'reinvocationPolicy'> &
  Pick<MutatingWebhook, 'reinvocationPolicy'>

/** One webhook of a configuration. */
export interface Hook {
  readonly configuration: string
  readonly webhook: ConfiguredWebhook
  /** Position among all webhooks of all configurations, in the order of calls. */
  readonly index: number
  readonly namespaceSelector: HookSelector
  readonly objectSelector: HookSelector
}

/** A selector of a webhook, parsed once. */
export type HookSelector =
  | { readonly is: 'everything' }
  | { readonly is: 'some'; readonly selector: LabelSelector }
  | { readonly is: 'invalid'; readonly why: string }

/** The webhooks of configurations in the order of calls: by name of the configuration, then as listed. */
export function hooksOf(
  configurations: ReadonlyMap<string, readonly ConfiguredWebhook[]>,
): readonly Hook[] {
  const hooks: Hook[] = []
  for (const configuration of [...configurations.keys()].sort(byBytes)) {
    for (const webhook of configurations.get(configuration)!) {
      hooks.push({
        configuration,
        webhook,
        index: hooks.length,
        namespaceSelector: hookSelector(webhook.namespaceSelector),
        objectSelector: hookSelector(webhook.objectSelector),
      })
    }
  }
  return hooks
}

const byBytes = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

function hookSelector(object: ConfiguredWebhook['namespaceSelector']): HookSelector {
  try {
    // Absent in objects that were stored without defaults only.
    const selector = selectorFromObject(object ?? {})
    return isEverything(selector) ? { is: 'everything' } : { is: 'some', selector }
  } catch (error) {
    return { is: 'invalid', why: error instanceof Error ? error.message : String(error) }
  }
}
