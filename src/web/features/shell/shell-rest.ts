/** What stands around a page and is not needed for its first status: one part, and so one request. */
export { AlarmAnnouncer } from './alarm-announcer.tsx'
export { Annunciator, MutedNote } from './alarm-tiles.tsx'
export { Keyboard } from './keyboard.tsx'
export { Messages } from './messages.tsx'
export { Toasts } from './toasts.tsx'
