import { readFile, stat } from 'node:fs/promises'

/** A file that is reloaded whenever it has changed. */
export class FreshFile {
  readonly path: string
  #text: string | null = null
  #mark = ''

  constructor(path: string) {
    this.path = path
  }

  /** Content of the file. When it can no longer be read, the last content; rejects when it was never readable. */
  async text(): Promise<string> {
    try {
      const { mtimeNs, size, ino } = await stat(this.path, { bigint: true })
      const mark = `${mtimeNs} ${size} ${ino}`
      if (this.#text !== null && mark === this.#mark) return this.#text
      const text = await readFile(this.path, 'utf8')
      // An empty file is about to be filled by its writer.
      if (text.trim() === '') throw new Error(`${this.path} is empty`)
      this.#text = text
      this.#mark = mark
      return text
    } catch (error) {
      if (this.#text !== null) return this.#text
      throw error
    }
  }
}
