import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { BrowserContext } from 'playwright-core'
import { launchDashboard } from './launch-app.ts'
import { launchProfile } from './launch-browser.ts'

/** A dashboard's profile folder as Chromium wrote it; see `test/vectors/history/README.md`. */
export type HistoryProfile = {
  readonly config: {
    readonly version: number
    readonly services: readonly [
      { readonly baseUrl: string; readonly [name: string]: string | number | boolean },
    ]
    readonly nodes: readonly { readonly id: string; readonly name: string }[]
  }
  /** When its last session ended. */
  readonly endMs: number
  /** File contents in base64, by path in the profile's folder. */
  readonly files: Readonly<Record<string, string>>
}

const FILE = join(import.meta.dirname, '../vectors/history/profile.json.gz')
const DIST = join(import.meta.dirname, '../../dist')
/** The port in the profile's origin. Chromium maps it to the dashboard's real port, because it may be in use. */
const PORT = 47_420
export const PROFILE_ORIGIN = `http://127.0.0.1:${PORT}`
export const readHistoryProfile = (): HistoryProfile => JSON.parse(gunzipSync(readFileSync(FILE)).toString())

export function unpackProfile({ files }: HistoryProfile, folder: string): void {
  for (const [path, bytes] of Object.entries(files)) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, Buffer.from(bytes, 'base64'))
  }
}

/**
 * Opens the built dashboard in a Chromium with the profile in `folder`, at another time than now. The fake clock is
 * prepended to every script of a copy of the build, so that pages and all kinds of Workers use it.
 */
export async function openAt(
  folder: string,
  config: HistoryProfile['config'],
  atMs: number,
): Promise<{ readonly context: BrowserContext; readonly close: () => Promise<void> }> {
  const byMs = Math.round(atMs - Date.now())
  const clock = `if (globalThis.Date.byMs === undefined) {
    const Real = globalThis.Date
    globalThis.Date = class extends Real {
      static byMs = ${byMs}
      constructor(...given) { given.length === 0 ? super(Real.now() + ${byMs}) : super(...given) }
      static now() { return Real.now() + ${byMs} }
    }
  };`
  const build = join(folder, 'build')
  cpSync(DIST, join(build, 'dist'), { recursive: true })
  cpSync(join(DIST, '../package.json'), join(build, 'package.json'))
  const assets = join(build, 'dist/web/assets')
  for (const name of readdirSync(assets).filter((file) => file.endsWith('.js')))
    writeFileSync(join(assets, name), `${clock}${readFileSync(join(assets, name), 'utf8')}`)
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
  const dashboard = await launchDashboard(
    ['--config', join(folder, 'config.json'), '--data', folder],
    join(build, 'dist/node/cli.js'),
  )
  const { host } = new URL(dashboard.dashboardUrl)
  const context = await launchProfile(join(folder, 'profile'), [
    `--host-resolver-rules=MAP 127.0.0.1:${PORT} ${host}`,
  ])
  return {
    context,
    close: async () => {
      await context.close()
      await dashboard.stop()
    },
  }
}
