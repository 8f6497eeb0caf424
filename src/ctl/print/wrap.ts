/** Text in lines of at most so many characters; lines of their own stay so. */
export function wrapped(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = []
    let line = ''
    for (const word of paragraph.split(/\s+/)) {
      if (line !== '' && line.length + word.length + 1 > width) {
        lines.push(line)
        line = word
      } else line = line === '' ? word : `${line} ${word}`
    }
    return [...lines, line]
  })
}

/** Lines with blanks before them. */
export const indented = (lines: readonly string[], blanks: number): string =>
  lines.map((line) => (line === '' ? '' : ' '.repeat(blanks) + line)).join('\n')
