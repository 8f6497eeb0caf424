// Refuses config maps without data, and labels the others with the user who writes them.
import { createServer } from 'node:https'
import { json } from 'node:stream/consumers'

function decide({ uid, object, userInfo }) {
  if (!object.data) return { uid, allowed: false, status: { message: 'a config map needs data' } }
  const labels = { ...object.metadata.labels, writer: userInfo.username.replaceAll(/\W/g, '-') }
  const patch = [{ op: 'add', path: '/metadata/labels', value: labels }]
  const base64 = Buffer.from(JSON.stringify(patch)).toString('base64')
  return { uid, allowed: true, patchType: 'JSONPatch', patch: base64 }
}

/** A server of the webhook, with its certificate and key. */
export const webhookServer = (tls) =>
  createServer(tls, async (request, response) => {
    const { apiVersion, kind, request: asked } = await json(request)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ apiVersion, kind, response: decide(asked) }))
  })
