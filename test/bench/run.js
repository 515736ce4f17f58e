import { start } from '#test/support/start.js'

await start('bench/main.ts')
