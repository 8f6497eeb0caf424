const PRINTABLE = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u
/** Matches most characters of names; checking the classes of all characters takes long for the first time. */
const PRINTABLE_ASCII = /[ -~]/

/** Whether a character shows as something, with the plain space and no other (as names of field managers must). */
export const isPrintable = (char: string): boolean =>
  PRINTABLE_ASCII.test(char) || PRINTABLE.test(char)
