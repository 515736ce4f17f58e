import { start } from '#test/support/start.js'

await start('screenshot/main.ts')
