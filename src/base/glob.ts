/** Whether a text matches a pattern with `*` for any characters and `?` for one; takes at most their product in steps. */
export function matchesGlob(text: string, pattern: string): boolean {
  let at = 0
  let textAt = 0
  // Where to go on when a star takes one character more.
  let star = -1
  let starText = 0
  while (textAt < text.length) {
    if (pattern[at] === '*') {
      star = at++
      starText = textAt
    } else if (pattern[at] === '?' || pattern[at] === text[textAt]) {
      at++
      textAt++
    } else if (star !== -1) {
      at = star + 1
      textAt = ++starText
    } else return false
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}
