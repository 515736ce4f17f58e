import { start } from '#test/support/start.js'

await start('runner/mutation.ts')
