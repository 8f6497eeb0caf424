// The kind that the operator serves: a page, whose text was called `message` in the first version.
export const GROUP = 'example.com'
export const FINALIZER = 'example.com/unpublish'

const text = { type: 'string', maxLength: 1000 }
const status = {
  type: 'object',
  properties: {
    phase: { type: 'string' },
    configMap: { type: 'string' },
    observedGeneration: { type: 'integer' },
  },
}
const version = (name, storage, spec) => ({
  name,
  storage,
  served: true,
  subresources: { status: {} },
  additionalPrinterColumns: [{ name: 'Phase', type: 'string', jsonPath: '.status.phase' }],
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: spec }, status },
    },
  },
})

/** The definition, with a webhook at a URL that has a certificate of its own. */
export const definition = (url, certificate) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `pages.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'pages', kind: 'Page' },
    conversion: {
      strategy: 'Webhook',
      webhook: {
        clientConfig: { url, caBundle: Buffer.from(certificate).toString('base64') },
        conversionReviewVersions: ['v1'],
      },
    },
    versions: [
      // The client library calls the keyword `default` so.
      version('v1', true, { text, title: { ...text, _default: 'Untitled' } }),
      version('v1alpha1', false, { message: text, title: text }),
    ],
  },
})

/** An object of one version in the other one. */
export function converted(page, apiVersion) {
  const { text, message, ...spec } = page.spec ?? {}
  const value = text ?? message
  const name = apiVersion.endsWith('/v1') ? 'text' : 'message'
  return {
    ...page,
    apiVersion,
    spec: { ...spec, ...(value === undefined ? {} : { [name]: value }) },
  }
}
