/** Takes the lock of a directory, prints so, and keeps it until it is killed; in a process of its own. */
import { lockDir } from './lock.ts'

const [dir = ''] = process.argv.slice(2)
try {
  lockDir(dir)
  console.log('taken')
  setInterval(() => {}, 60_000)
} catch (error) {
  console.log((error as Error).message)
}
