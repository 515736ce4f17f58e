import { join } from 'node:path'
import process from 'node:process'
import { launchApp } from '#test/support/launch-app.ts'
import { launchBrowser } from '#test/support/launch-browser.ts'

const FOLDER = join(import.meta.dirname, '../../docs')

/** Long enough for the charts to have something to show, with the demo's interval of 5 s. */
const POLLS = 45
const POLL_LIMIT_MS = 60_000
/** The legend below the last chart. */
const SHOWN = /^(\d+) polls/

/**
 * Makes the pictures of the README from the running app: the demo, one click, some minutes of
 * watching, dark, 1440 by 900. Run by hand after the pages have changed; it takes about 4 minutes.
 */
export async function main(): Promise<number> {
  const app = await launchApp(['--nodes', '24'])
  const trouble = async (place: number, fault: string, value: unknown): Promise<void> => {
    const { nodes }: { readonly nodes: readonly { readonly id: string }[] } = await (
      await control('nodes')
    ).json()
    await control('faults', { node: nodes[place]?.id, fault, value })
  }
  const control = (path: string, body?: object): Promise<Response> =>
    fetch(new URL(path, app.controlUrl), {
      method: body === undefined ? 'GET' : 'PUT',
      headers: { Authorization: `Bearer ${app.controlToken}` },
      ...(body && { body: JSON.stringify(body) }),
    })
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 }, colorScheme: 'dark' })
    await page.goto(app.dashboardUrl)
    await page.getByRole('button', { name: 'Start watching' }).click()
    const count = page.getByText(SHOWN).last()
    await page.waitForFunction(
      ([shown, polls]) => {
        const note = Array.from(document.querySelectorAll('.legend-note')).at(-1)?.textContent ?? ''
        return Number(new RegExp(shown).exec(note)?.[1]) >= polls
      },
      [SHOWN.source, POLLS] as const,
      { timeout: POLLS * POLL_LIMIT_MS, polling: 1_000 },
    )
    process.stdout.write(`${await count.innerText()}\n`)
    await page.screenshot({ path: join(FOLDER, 'node-page.png') })
    await trouble(4, 'silent-heartbeat', 600)
    await trouble(9, 'status-503', 5)
    await trouble(17, 'status-word', 'DRAINING')
    await page.goto(`${app.dashboardUrl}#/nodes`)
    for (const shown of ['Heartbeat too old', 'HTTP 503', 'DRAINING'])
      await page.getByRole('grid').getByText(shown).first().waitFor({ timeout: POLL_LIMIT_MS })
    await page.screenshot({ path: join(FOLDER, 'fleet.png') })
    await page.goto(`${app.dashboardUrl}#/wall`)
    await page.getByRole('main').getByRole('heading').first().waitFor()
    await page.screenshot({ path: join(FOLDER, 'wall.png') })
    return 0
  } finally {
    await browser.close()
    await app.stop()
  }
}
