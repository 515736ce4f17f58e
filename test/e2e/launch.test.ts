import { expect, it } from 'vitest'
import { launchApp } from '#test/support/launch-app.ts'

it('one command starts dashboard and reference service on free ports, prints where, and ends when asked to', async () => {
  const app = await launchApp()
  const addresses = [app.dashboardUrl, app.referenceUrl, app.controlUrl]
  for (const address of addresses) expect(address).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*\/$/)
  expect(new Set(addresses).size).toBe(3)
  const page = await fetch(app.dashboardUrl)
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toContain('text/html')
  const refused = await fetch(new URL('node/status', app.referenceUrl))
  expect(refused.status).toBe(401)
  expect(await app.stop()).toBe(0)
})

it('offers as many demo nodes as were asked for', async () => {
  const app = await launchApp(['--nodes', '1000'])
  const offered: unknown = await (await fetch(new URL('config.json', app.dashboardUrl))).json()
  expect(offered).toMatchObject({ demo: { nodes: { length: 1_000 }, service: { pollIntervalMs: 10_000 } } })
  expect(await app.stop()).toBe(0)
})
