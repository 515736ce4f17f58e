const LEFT_KEY = 'immune-left-service-worker'

/**
 * Ends service workers. This product has none: one of another program that had this address would answer in the place of
 * the server, with code of its own, for this page or its Workers. `reloading`: there was one, and the page is loaded again.
 * `again`: there is one again after that, and nothing may start.
 */
export async function leaveServiceWorkers(): Promise<'none' | 'reloading' | 'again'> {
  // Not on plain http: there are none either.
  if (!('serviceWorker' in navigator)) return 'none'
  const { serviceWorker } = navigator
  try {
    serviceWorker.addEventListener('controllerchange', () => location.reload())
    const found = await serviceWorker.getRegistrations()
    if (found.length === 0 && serviceWorker.controller === null) {
      sessionStorage.removeItem(LEFT_KEY)
      return 'none'
    }
    await Promise.all(found.map((one) => one.unregister()))
    if (sessionStorage.getItem(LEFT_KEY) !== null) return 'again'
    sessionStorage.setItem(LEFT_KEY, '1')
    location.reload()
    return 'reloading'
  } catch {
    return serviceWorker.controller === null ? 'none' : 'again' // storage is switched off
  }
}
