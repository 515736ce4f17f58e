const KEY = 'immune-single-keys'
const OFF = 'off'

/** Whether single keys act in this browser: they do until somebody turns them off. */
export function loadKeysOn(): boolean {
  try {
    return localStorage.getItem(KEY) !== OFF
  } catch {
    return true // blocked: nobody can have turned them off
  }
}

export function saveKeysOn(on: boolean): void {
  try {
    if (on) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, OFF)
  } catch {
    // Blocked: the choice holds until the page is left.
  }
}
