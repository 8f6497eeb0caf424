import { packageVersion } from '../base/package-version.ts'
import { product } from '../vocabulary/index.ts'
import { ctlMain } from './main.ts'

/** Runs the program to its end and ends the process. */
export async function ctlProgram(args: readonly string[]): Promise<void> {
  const code = await ctlMain(args, {
    version: packageVersion(),
    program: product.clusterCommand,
    isLast: true,
  })
  process.exit(code)
}
