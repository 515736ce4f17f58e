import { start } from '#test/support/start.js'

await start('runner/node-versions.ts')
