/** `&&` and `||`: an error in one operand does not count if the other decides. */
import { Failure, noOverload } from './failure.ts'
import { type Code, failed, type Frame } from './frame.ts'

/** Both operands. */
export const bothCode = (left: Code, right: Code): Code => decided(left, right, false)

/** Either operand. */
export const eitherCode = (left: Code, right: Code): Code => decided(left, right, true)

/** The value that decides, the other value if both have it, else the error. */
function decided(left: Code, right: Code, decides: boolean): Code {
  return (frame) => {
    const first = outcome(left, frame)
    if (first === decides) return decides
    const isOther = first === !decides
    if (isOther) {
      const second = right(frame)
      if (typeof second === 'boolean') return second
      throw noOverload()
    }
    if (outcome(right, frame) === decides) return decides
    throw first instanceof Failure ? first : noOverload()
  }
}

function outcome(code: Code, frame: Frame): unknown {
  try {
    return code(frame)
  } catch (error) {
    return failed(error, frame)
  }
}
