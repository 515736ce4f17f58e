const LEFT_KEY = 'immune-left-service-worker'

/**
 * Unregisters service workers. This product has none, but another program's on the same origin could answer in place of the
 * server. `reloading`: one was found, and the page reloads. `again`: it came back, and nothing may start.
 */
export async function leaveServiceWorkers(): Promise<'none' | 'reloading' | 'again'> {
  // Missing on plain http, where service workers cannot exist.
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
    // Without session storage, a second attempt can't be detected.
    return serviceWorker.controller === null ? 'none' : 'again'
  }
}
