/**
 * A server of webhooks in a process of its own, for tests. It listens with the certificate that the parent sends, passes
 * each request to the parent, and does what the parent replies.
 */
import { createServer } from 'node:https'

const waiting = new Map()
let lastId = 0
const connections = new Map()

function answer(request, response) {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const id = ++lastId
    waiting.set(id, { request, response })
    const text = Buffer.concat(chunks).toString('utf8')
    const { socket } = request
    process.send({
      id,
      line: `${request.method} ${request.url}`,
      headers: request.headers,
      text,
      servername: socket.servername || '',
      client: socket.getPeerCertificate().subject?.CN ?? '',
      connection: connections.get(socket),
    })
  })
}

function reply({ id, act, code = 200, headers = {}, text = '', bytes = 0 }) {
  const { request, response } = waiting.get(id)
  waiting.delete(id)
  switch (act) {
    case 'hang':
      return
    case 'close':
      return request.socket.destroy()
    case 'cut':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      return response.write('{"kind":', () => request.socket.destroy())
    case 'flood':
      response.writeHead(200, { 'content-type': 'application/json' })
      response.on('error', () => {})
      response.write('{"kind":"')
      return response.end('x'.repeat(bytes))
    case 'raw':
      return request.socket.end(text)
    default:
      response.writeHead(code, { 'content-type': 'application/json', ...headers })
      response.end(text)
  }
}

process.once('message', (options) => {
  const server = createServer({ ...options, requestCert: true, rejectUnauthorized: false }, answer)
  server.keepAliveTimeout = 60_000
  server.on('secureConnection', (socket) => connections.set(socket, connections.size + 1))
  server.on('tlsClientError', () => {})
  server.listen(options.port ?? 0, options.host, () => {
    process.send({ port: server.address().port })
    process.on('message', reply)
  })
})
process.on('disconnect', () => process.exit())
