import { SITE } from './site.ts'

/** `unsupported`: this browser has no notifications, or not for this page (plain http). */
export type PermissionToNotify = 'granted' | 'denied' | 'default' | 'unsupported'

export function permissionToNotify(): PermissionToNotify {
  return typeof Notification === 'undefined' || !isSecureContext ? 'unsupported' : Notification.permission
}

/** Requests permission; browsers show the prompt only after a click. */
export async function askForNotifications(): Promise<PermissionToNotify> {
  if (permissionToNotify() === 'unsupported') return 'unsupported'
  try {
    await Notification.requestPermission()
  } catch {
    // Old browsers return no promise; the permission is read below.
  }
  return permissionToNotify()
}

export type ShownNotification = {
  readonly title: string
  readonly body: string
  /** A notification replaces an earlier one with the same tag. */
  readonly tag: string
  readonly stays: boolean
  readonly hash: string
}

/** Shows a notification. Returns false if the browser refuses, as phones do without an installed app. */
export function showNotification({ title, body, tag, stays, hash }: ShownNotification): boolean {
  if (permissionToNotify() !== 'granted') return false
  try {
    // Browsers replace a notification silently unless `renotify` is set.
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
    return false // Phones allow notifications from service workers only.
  }
}

/** Notifications of this tab that may still be visible. */
const open = new Map<string, Notification>()

/** Closes a notification if this tab showed it. */
export function closeNotification(tag: string): void {
  open.get(tag)?.close()
  open.delete(tag)
}
