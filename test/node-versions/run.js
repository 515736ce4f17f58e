import { start } from '#test/support/start.js'

await start('node-versions/main.ts')
