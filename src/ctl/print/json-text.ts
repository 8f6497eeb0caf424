/** JSON in which no text can be taken for markup. */
export const escapedJson = (text: string): string =>
  text.replaceAll(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
