import { lazy } from 'react'

const fleet = () => import('#features/fleet/fleet-page.tsx')
const node = () => import('#features/node/node-page.tsx')
const nodeHistory = () => import('#features/node/node-history.tsx')
const firstRun = () => import('#features/first-run/first-run-page.tsx')
const messages = () => import('#features/shell/cause-list.tsx')
const locks = () => import('#features/shell/lock-messages.tsx')
const rows = () => import('#ui/virtual-rows.tsx')
const settings = () => import('#features/settings/settings-page.tsx')
const qrCode = () => import('#ui/qr-code.tsx')
const chart = () => import('#ui/chart/strip-chart.tsx')

export const FleetPage = lazy(async () => ({ default: (await fleet()).FleetPage }))
export const NodePage = lazy(async () => ({ default: (await node()).NodePage }))
export const FirstRunPage = lazy(async () => ({ default: (await firstRun()).FirstRunPage }))
export const SettingsPage = lazy(async () => ({ default: (await settings()).SettingsPage }))

/** Fetches every chunk that is not in the first one. Resolves when all are here; rejects when one could not be had. */
export const fetchLaterChunks = async (): Promise<void> => {
  await Promise.all([
    fleet(),
    node(),
    nodeHistory(),
    messages(),
    locks(),
    rows(),
    firstRun(),
    settings(),
    chart(),
    qrCode(),
  ])
}
