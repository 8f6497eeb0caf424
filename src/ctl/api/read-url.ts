/** Files that are read over https. */
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { Fault } from '../base/faults.ts'

const MAX_BYTES = 64 << 20
const MAX_REDIRECTS = 5
const WAIT_MS = 30_000

/** The text behind a URL. */
export async function readUrl(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  let url = text
  for (let i = 0; i <= MAX_REDIRECTS; i++) {
    if (!URL.canParse(url))
      throw new Fault(`error: the URL passed to filename "${url}" is not valid`)
    if (!url.startsWith('https://')) {
      throw new Fault(`error: objects are read over https only: ${url}`)
    }
    const answer = await fetched(url, env)
    if (typeof answer === 'string') return answer
    url = new URL(answer.location, url).href
  }
  throw new Fault(`error: unable to read URL "${text}": too many redirects`)
}

function fetched(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | { location: string }> {
  return new Promise((resolve, reject) => {
    const failed = (why: string) => reject(new Fault(`error: unable to read URL "${url}", ${why}`))
    const ca = env.SSL_CERT_FILE
    const outgoing = request(
      url,
      { timeout: WAIT_MS, ...(ca ? { ca: readCa(ca) } : {}) },
      (response) => {
        const { statusCode = 0, statusMessage = '', headers } = response
        if (statusCode >= 300 && statusCode < 400 && headers.location) {
          response.resume()
          return resolve({ location: headers.location })
        }
        if (statusCode !== 200) {
          response.resume()
          return failed(`server reported ${statusCode} ${statusMessage}, status code=${statusCode}`)
        }
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > MAX_BYTES) {
            outgoing.destroy()
            failed('it is too long')
          } else chunks.push(chunk)
        })
        response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
        response.on('error', (error) => failed(error.message))
      },
    )
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer came in time')))
    outgoing.on('error', (error) => failed(error.message))
    outgoing.end()
  })
}

function readCa(path: string): string {
  return readFileSync(path, 'utf8')
}
