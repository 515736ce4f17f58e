/** Whether the browser has promised not to delete this site's data; undefined if unknown. */
export async function isPersistent(): Promise<boolean | undefined> {
  try {
    return await navigator.storage.persisted()
  } catch {
    return undefined // The page is not in a secure context, or the browser is old.
  }
}

/** Requests persistent storage; browsers want a click first. */
export async function askToPersist(): Promise<boolean | undefined> {
  try {
    return await navigator.storage.persist()
  } catch {
    return undefined
  }
}

const TEST_KEY = 'immune-self-test'

/** Tests whether localStorage returns a written text and really removes it. */
export function keepsSettings(): boolean {
  try {
    const text = crypto.getRandomValues(new Uint32Array(8)).join(' ')
    localStorage.setItem(TEST_KEY, text)
    const isKept = localStorage.getItem(TEST_KEY) === text
    localStorage.removeItem(TEST_KEY)
    return isKept && localStorage.getItem(TEST_KEY) === null
  } catch {
    return false // Site data is blocked, or the storage is full.
  }
}
