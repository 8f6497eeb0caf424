import { afterEach, beforeEach } from 'vitest'
import { inProcess, type InProcess } from '../src/server/in-process.fixture.ts'
import type { Controller } from '../src/controllers/controller.ts'
import { startControllers, type RunningControllers } from '../src/controllers/index.ts'
import { defaultSettings, type ControllerSettings } from '../src/controllers/settings.ts'

/** One controller over a store of its own. */
export interface ControllerScene {
  readonly context: InProcess
  readonly running: RunningControllers
  /** Starts the controller again, with settings that differ. */
  start(settings?: Partial<ControllerSettings>): void
  /** Begins anew with a store of these ranges. */
  reopen(ranges: Parameters<typeof inProcess>[0]): Promise<void>
}

/** Has each test of a file begin with a running controller. */
export function controllerScene(controller: Controller): ControllerScene {
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
      made.running = startControllers({ ...scene.context.controllerContext, settings }, [
        controller,
      ])
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
