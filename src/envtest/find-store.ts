/** Asks what answers at the address of an etcd whether it is our stand-in. */
import { get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { dropIn } from '../vocabulary/index.ts'
import { isMarked, type DataFolder } from './data-folder.ts'

const RETRY_MS = 50
const ANSWER_MS = 2_000
/** More is none of ours. */
const MOST_BYTES = 16_384

/**
 * The data directory of the stand-in at an address; null where something else is, such as an etcd. Waits for somebody to
 * listen there. Rejects after `patienceMs`, with the last error.
 */
export async function findStore(
  server: string,
  { patienceMs = 20_000 }: { readonly patienceMs?: number } = {},
): Promise<DataFolder | null> {
  if (!URL.canParse(server) || new URL(server).protocol !== 'http:') return null
  for (let left = patienceMs; ; left -= RETRY_MS) {
    try {
      const answer = await ask(new URL(dropIn.dataDirPath, server))
      return isMarked(answer) ? answer : null
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // Whoever listens and does not speak so is an etcd, or the engine says what is wrong.
      if (code !== 'ECONNREFUSED') return null
      if (left <= 0) throw error
      // A timer that keeps the process alive: there is nothing else yet.
      await wait(RETRY_MS)
    }
  }
}

function ask(url: URL): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, timeout: ANSWER_MS }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
        if (text.length > MOST_BYTES) response.destroy(new Error('too long an answer'))
      })
      response.once('error', reject)
      response.once('end', () => resolve(response.statusCode === 200 ? parsed(text) : null))
    })
    request.once('timeout', () => request.destroy(new Error('no answer')))
    request.once('error', reject)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
