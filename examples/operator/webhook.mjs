// The conversion webhook: HTTPS on a free port.
import { once } from 'node:events'
import { createServer } from 'node:https'
import { json } from 'node:stream/consumers'
import { generate } from 'selfsigned'
import { converted } from './definition.mjs'

/** Starts it; gives its URL, its certificate and what ends it. */
export async function startWebhook() {
  const altNames = [{ type: 7, ip: '127.0.0.1' }]
  const { private: key, cert } = generate([{ name: 'commonName', value: 'pages' }], {
    keySize: 2048,
    days: 30,
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames },
    ],
  })
  const server = createServer({ key, cert }, (request, response) => {
    answer(request, response).catch((error) => response.writeHead(400).end(error.message))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${server.address().port}/convert`,
    cert,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function answer(request, response) {
  const { apiVersion, kind, request: asked } = await json(request)
  const convertedObjects = asked.objects.map((page) => converted(page, asked.desiredAPIVersion))
  const result = { status: 'Success' }
  response.setHeader('content-type', 'application/json')
  response.end(
    JSON.stringify({ apiVersion, kind, response: { uid: asked.uid, result, convertedObjects } }),
  )
}
