let dateSecond = 0
let date = ''

/** The value of the Date header, computed once a second. */
export function dateText(): string {
  const second = Math.trunc(Date.now() / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    date = new Date(second * 1000).toUTCString()
  }
  return date
}
