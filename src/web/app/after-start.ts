import type { Dashboard } from '#react/dashboard.ts'
import { showCutTitles } from '#ui/cut-titles.ts'
import { keepHistory } from './keep-history.ts'
import { notifyPeople } from './notify-people.ts'
import { recover, watchPage } from './watch-page.ts'

export { recover }

/** Starts what the first status does not wait for. Rejects, to be called again, where history can't be begun. */
export async function startRest(dashboard: Dashboard): Promise<void> {
  await keepHistory(dashboard)
  notifyPeople(dashboard)
  watchPage(dashboard)
  showCutTitles(document)
}
