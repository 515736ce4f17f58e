/** Parts around the page that the first status does not need, in one chunk and so one request. */
export { Annunciator, MutedNote } from './alarm-tiles.tsx'
export { Keyboard } from './keyboard.tsx'
export { Messages } from './messages.tsx'
export { Toasts } from './toasts.tsx'
