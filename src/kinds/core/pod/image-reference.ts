const COMPONENT = '[a-z0-9]+(?:(?:\\.|__?|-+)[a-z0-9]+)*'
const HOST_PART = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])'
const HOST = new RegExp(`^${HOST_PART}(?:\\.${HOST_PART})*(?::[0-9]+)?$`)
const PATH = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`)
const TAG = /^\w[\w.-]{0,127}$/
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/
const MAX_NAME = 255

/**
 * The tag of an image: `latest` when it has neither tag nor digest, empty when it has a digest only
 * or is not written correctly.
 */
export function imageTag(image: string): string {
  const found = known.get(image)
  if (found !== undefined) return found
  const tag = readTag(image)
  // A cluster has few different images, which many pods have.
  if (image.length <= MAX_NAME) {
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(image, tag)
  }
  return tag
}

const known = new Map<string, string>()
const MAX_KNOWN = 500

function readTag(image: string): string {
  // 64 hexadecimal digits would be taken for an id.
  if (/^[a-f0-9]{64}$/.test(image)) return ''
  let name = image
  const at = name.indexOf('@')
  const digest = at < 0 ? null : name.slice(at + 1)
  if (digest !== null) {
    if (!DIGEST.test(digest)) return ''
    name = name.slice(0, at)
  }
  const colon = name.lastIndexOf(':')
  let tag = ''
  if (colon > name.lastIndexOf('/')) {
    tag = name.slice(colon + 1)
    if (!TAG.test(tag)) return ''
    name = name.slice(0, colon)
  }
  if (!isName(name)) return ''
  return tag === '' && digest === null ? 'latest' : tag
}

function isName(name: string): boolean {
  if (name.length > MAX_NAME) return false
  const slash = name.indexOf('/')
  const first = slash < 0 ? '' : name.slice(0, slash)
  const isHost = /[.:A-Z]/.test(first) || first === 'localhost'
  return isHost ? HOST.test(first) && PATH.test(name.slice(slash + 1)) : PATH.test(name)
}
