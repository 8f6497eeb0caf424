import { controllerManagerMain } from '../src/cli/main.ts'

await controllerManagerMain()
