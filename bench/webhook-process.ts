/** A webhook that allows everything, and does as little as it can for that. */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

const [text = ''] = process.argv.slice(2)
const UID = /"uid":"([^"]*)"/

const server = createServer(JSON.parse(text) as object, (request, response) => {
  let head = ''
  request.on('data', (piece: Buffer) => {
    // Kind, version and uid come first.
    if (head.length < 256) head += piece.toString('latin1')
  })
  request.on('end', () => {
    const uid = UID.exec(head)?.[1] ?? ''
    const apiVersion = /"apiVersion":"([^"]*)"/.exec(head)?.[1] ?? ''
    response.setHeader('content-type', 'application/json')
    response.end(
      `{"kind":"AdmissionReview","apiVersion":"${apiVersion}","response":{"uid":"${uid}","allowed":true}}`,
    )
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
