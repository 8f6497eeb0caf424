import { afterEach, beforeEach } from 'vitest'
import { inProcess, type InProcess } from '../src/server/in-process.fixture.ts'
import type { Controller } from '../src/controllers/controller.ts'
import { startControllers, type RunningControllers } from '../src/controllers/index.ts'
import { defaultSettings, type ControllerSettings } from '../src/controllers/settings.ts'

/** Some controllers over a store of their own. */
export interface ControllerScene {
  readonly context: InProcess
  readonly running: RunningControllers
  /** Starts the controllers again, with settings that differ. */
  start(settings?: Partial<ControllerSettings>): void
  /** Begins anew with a store of these ranges. */
  reopen(ranges: Parameters<typeof inProcess>[0]): Promise<void>
}

/** Has each test of a file begin with running controllers. */
export function controllerScene(...controllers: readonly Controller[]): ControllerScene {
  const made: Partial<{ context: InProcess; running: RunningControllers }> = {}
  const close = async () => {
    await scene.running.stop()
    await scene.context.close()
  }
  const scene: ControllerScene = {
    get context() {
      return made.context!
    },
    get running() {
      return made.running!
    },
    start(given = {}) {
      const settings = { ...defaultSettings, ...given }
      made.running = startControllers({ ...scene.context.controllerContext, settings }, controllers)
    },
    async reopen(ranges) {
      await close()
      await open(ranges)
    },
  }
  const open = async (ranges?: Parameters<typeof inProcess>[0]) => {
    made.context = await inProcess(ranges)
    scene.start()
  }
  beforeEach(() => open())
  afterEach(close)
  return scene
}
