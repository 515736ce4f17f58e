import type { Dashboard } from '#react/dashboard.ts'
import { showCutTitles } from '#ui/cut-titles.ts'
import { keepHistory } from './keep-history.ts'
import { notifyPeople } from './notify-people.ts'
import { recover, watchPage } from './watch-page.ts'

export { recover }

/** Starts everything that the first status does not need. Rejects if history cannot start; call it again then. */
export async function startRest(dashboard: Dashboard): Promise<void> {
  await keepHistory(dashboard)
  notifyPeople(dashboard)
  watchPage(dashboard)
  showCutTitles(document)
}
