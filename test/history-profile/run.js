import { start } from '#test/support/start.js'

await start('history-profile/main.ts')
