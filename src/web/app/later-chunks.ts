import { lazy } from 'react'

const firstRun = () => import('#features/first-run/first-run-page.tsx')
const settings = () => import('#features/settings/settings-page.tsx')
const chart = () => import('#ui/chart/strip-chart.tsx')

export const FirstRunPage = lazy(async () => ({ default: (await firstRun()).FirstRunPage }))
export const SettingsPage = lazy(async () => ({ default: (await settings()).SettingsPage }))

/** Fetches every chunk that is not in the first one. Resolves when all are here; rejects when one could not be had. */
export const fetchLaterChunks = async (): Promise<void> => {
  await Promise.all([firstRun(), settings(), chart()])
}
