import { start } from '#test/support/start.js'

await start('soak/main.ts')
