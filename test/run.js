import { start } from '#test/support/start.js'

await start('runner/main.ts')
