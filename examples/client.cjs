// A client in a few lines, as any test may have one. Real clients read `server.kubeconfig`.
const { Agent, request } = require('node:https')

/** Sends requests as the administrator of a server: `send('GET', '/api/v1/namespaces')` gives status and body. */
exports.clientOf = function clientOf(server) {
  const read = (name) =>
    Buffer.from(new RegExp(`${name}: (\\S+)`).exec(server.kubeconfig)[1], 'base64')
  const agent = new Agent({
    ca: server.ca,
    cert: read('client-certificate-data'),
    key: read('client-key-data'),
  })
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' }
      const sent = request(new URL(path, server.url), { agent, method, headers }, (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (part) => (text += part))
        answer.on('end', () => resolve({ status: answer.statusCode, body: JSON.parse(text) }))
        answer.on('error', reject)
      })
      sent.on('error', reject)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
}
