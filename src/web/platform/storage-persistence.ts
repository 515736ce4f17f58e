/** Whether the browser promised not to delete what this site keeps; undefined where it does not say. */
export async function isPersistent(): Promise<boolean | undefined> {
  try {
    return await navigator.storage.persisted()
  } catch {
    return undefined // no secure context, or an old browser
  }
}

/** Asks for the promise; browsers want a click before. */
export async function askToPersist(): Promise<boolean | undefined> {
  try {
    return await navigator.storage.persist()
  } catch {
    return undefined
  }
}

const TEST_KEY = 'immune-self-test'

/** Whether a text that is written to this browser's local storage is read back, and gone when it is removed. */
export function keepsSettings(): boolean {
  try {
    const text = crypto.getRandomValues(new Uint32Array(8)).join(' ')
    localStorage.setItem(TEST_KEY, text)
    const isKept = localStorage.getItem(TEST_KEY) === text
    localStorage.removeItem(TEST_KEY)
    return isKept && localStorage.getItem(TEST_KEY) === null
  } catch {
    return false // blocked site data, or no room
  }
}
