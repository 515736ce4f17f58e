import { SITE } from './site.ts'

/** `unsupported`: this browser has none, or not for this page (plain http). */
export type PermissionToNotify = 'granted' | 'denied' | 'default' | 'unsupported'

export function permissionToNotify(): PermissionToNotify {
  return typeof Notification === 'undefined' || !isSecureContext ? 'unsupported' : Notification.permission
}

/** Asks the person; browsers show the question only after a click. */
export async function askForNotifications(): Promise<PermissionToNotify> {
  if (permissionToNotify() === 'unsupported') return 'unsupported'
  try {
    await Notification.requestPermission()
  } catch {
    // An old browser without a promise: what it says then is read below.
  }
  return permissionToNotify()
}

export type ShownNotification = {
  readonly title: string
  readonly body: string
  /** One with the same tag takes the place of the one before. */
  readonly tag: string
  /** Stays until somebody closes it. */
  readonly stays: boolean
  /** Where a click leads: a hash of this page. */
  readonly hash: string
}

/** Shows a notification. False where the browser would not, as phones do not without an installed app. */
export function showNotification({ title, body, tag, stays, hash }: ShownNotification): boolean {
  if (permissionToNotify() !== 'granted') return false
  try {
    // One that takes another's place is news too, and browsers keep quiet about it unless they are asked.
    const options = { body, tag, renotify: true, requireInteraction: stays, icon: `${SITE}/favicon.svg` }
    const shown = new Notification(title, options)
    shown.addEventListener('click', () => {
      window.focus()
      location.hash = hash
      shown.close()
    })
    open.set(tag, shown)
    return true
  } catch {
    return false // phones have them in service workers only
  }
}

/** Notifications of this tab that may still be on the screen. */
const open = new Map<string, Notification>()

/** Takes a notification off the screen, where this tab showed it. */
export function closeNotification(tag: string): void {
  open.get(tag)?.close()
  open.delete(tag)
}
