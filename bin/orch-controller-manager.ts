#!/usr/bin/env node
import { controllerManagerMain } from '../src/cli/main.ts'
import { packageVersion } from '../src/base/package-version.ts'

void controllerManagerMain(process.argv.slice(2), { version: packageVersion() })
