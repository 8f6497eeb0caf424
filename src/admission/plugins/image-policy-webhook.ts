import { CallError } from '../../client/call-error.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { Attributes } from '../attributes.ts'
import type { ImageDecision, ImagePolicyBackend, ImageReviewSpec } from '../image-policy/backend.ts'
import {
  IMAGE_POLICY,
  readImagePolicy,
  type ImagePolicyConfig,
} from '../image-policy/configuration.ts'
import type { PluginDeps, PluginFactory } from '../plugin.ts'
import { podOf } from '../pods.ts'
import { refusalOf } from '../refusal.ts'

const AUDIT_PREFIX = 'imagepolicywebhook.image-policy{api}'

/** Asks a webhook about the images of pods. */
export const imagePolicyWebhook: PluginFactory<ImagePolicyConfig> = {
  name: 'ImagePolicyWebhook',
  defaultOn: false,
  needsConfig: true,
  onlyMember: IMAGE_POLICY,
  decodeConfig: readImagePolicy,
  create(deps, config) {
    const { v } = deps
    const backend = whenAsked(config!, deps)
    return {
      handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
      resources: [
        { group: '', resource: 'pods' },
        { group: '', resource: 'pods', subresource: 'ephemeralcontainers' },
      ],
      async validate(attributes) {
        const decision = await decided(await backend.open(), config!, attributes, deps)
        if (!decision) return
        for (const [key, value] of decision.auditAnnotations) note(key, value, attributes, deps)
        if (decision.allowed) return
        throw refusalOf(
          attributes,
          decision.reason === ''
            ? 'one or more images rejected by webhook backend'
            : `image policy webhook backend denied one or more images: ${decision.reason}`,
        )
      },
      close: () => backend.close(),
    }

    /** The decision; null when the webhook fails and that allows the images. */
    async function decided(
      from: ImagePolicyBackend,
      { defaultAllow }: ImagePolicyConfig,
      attributes: Attributes,
      { log }: PluginDeps,
    ): Promise<ImageDecision | null> {
      try {
        return await from.decide(reviewOf(attributes, v), attributes.signal)
      } catch (error) {
        if (!(error instanceof CallError)) throw error
        log.warn('failed to ask the image policy webhook', { error: error.message, defaultAllow })
        if (!defaultAllow) throw refusalOf(attributes, error.message)
        note('failed-open', 'true', attributes, deps)
        // The only change in this phase: mutating plugins run before there are final images to ask about.
        const { metadata } = podOf(attributes)
        const key = v.resolve('alpha.image-policy{api}/failed-open')
        metadata.annotations = { ...metadata.annotations, [key]: 'true' }
        return null
      }
    }
  },
}

/** The client of the webhook exists from the first pod on: its code need not be loaded before. */
function whenAsked(config: ImagePolicyConfig, deps: PluginDeps) {
  let opened: Promise<ImagePolicyBackend> | null = null
  return {
    open: () =>
      (opened ??= import('../image-policy/backend.ts').then(({ openImagePolicy }) =>
        openImagePolicy(config, deps),
      )),
    close: async () => (await opened)?.close(),
  }
}

/** Adds to the audit record. Keys of the webhook that are none are logged. */
function note(key: string, value: string, attributes: Attributes, { v, log }: PluginDeps): void {
  try {
    attributes.annotate(`${v.resolve(AUDIT_PREFIX)}/${key}`, value)
  } catch (error) {
    log.warn('failed to set an audit annotation of the image policy webhook', {
      error: (error as Error).message,
    })
  }
}

/** The question about a pod, in the order of the published fields; empty ones are left out. */
function reviewOf(attributes: Attributes, v: Vocabulary): ImageReviewSpec {
  const pod = podOf(attributes)
  const containers = imagesOf(pod, attributes.subresource)
  const mark = v.resolve('.image-policy{api}/')
  const annotations = Object.entries(pod.metadata.annotations ?? {})
    .filter(([key]) => key.includes(mark))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const { namespace } = attributes
  return {
    ...(containers.length === 0 ? {} : { containers }),
    ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
    ...(namespace === '' ? {} : { namespace }),
  }
}

function imagesOf({ spec }: Pod, subresource: string): { image?: string }[] {
  const containers =
    subresource === ''
      ? [...spec.containers, ...(spec.initContainers ?? [])]
      : (spec.ephemeralContainers ?? [])
  return containers.map(({ image = '' }) => (image === '' ? {} : { image }))
}
