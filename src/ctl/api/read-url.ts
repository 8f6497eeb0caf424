/** Files that are read over https. */
import { readFileSync } from 'node:fs'
import { Fault } from '../base/faults.ts'
import { askOutside } from './outside.ts'

const MAX_BYTES = 64 << 20
const MAX_REDIRECTS = 5

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

async function fetched(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | { location: string }> {
  const failed = (why: string) => new Fault(`error: unable to read URL "${url}", ${why}`)
  const authorities = env.SSL_CERT_FILE
  const ca = authorities ? readFileSync(authorities, 'utf8') : undefined
  const { status, statusText, location, body } = await askOutside({
    ...{ url, env, ca, maxBytes: MAX_BYTES },
  }).catch((error: Error) => {
    throw failed(error.message)
  })
  if (status >= 300 && status < 400 && location !== undefined) return { location }
  if (status !== 200) throw failed(`server reported ${status} ${statusText}, status code=${status}`)
  return body.toString('utf8')
}
