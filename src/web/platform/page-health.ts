import { SITE } from './site.ts'

/** What a page knows of itself beyond what it shows. */

const MB = 1_000_000
/** A share of what the browser grants at most, and what no page of this product needs. */
const HIGH_SHARE = 0.6
const HIGH_BYTES = 1_000 * MB

type HeapFigures = { readonly usedJSHeapSize: number; readonly jsHeapSizeLimit: number }

const isFigures = (value: unknown): value is HeapFigures =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'usedJSHeapSize') === 'number' &&
  typeof Reflect.get(value, 'jsHeapSizeLimit') === 'number'

/** Megabytes in use where that is too much; undefined where the browser does not say, as Firefox and Safari don't. */
export function memoryTooHighMb(): number | false | undefined {
  const figures: unknown = Reflect.get(performance, 'memory')
  if (!isFigures(figures)) return undefined
  const { usedJSHeapSize, jsHeapSizeLimit } = figures
  const isHigh = usedJSHeapSize > Math.min(HIGH_SHARE * jsHeapSizeLimit, HIGH_BYTES)
  return isHigh && Math.round(usedJSHeapSize / MB)
}

/** Where a stack's first frame is: "at f (https://host/file.js:1:2)" in Chromium, "f@https://host/file.js:1:2" elsewhere. */
const FIRST_FRAME = /(?:^|[\s(@])([^\s()@]+):\d+:\d+\)?$/m

/** Extensions run code in every page, and what they throw is reported here too. */
function isOurs(error: unknown, filename = ''): boolean {
  const { stack = '', message = '' } = error instanceof Error ? error : {}
  const file = FIRST_FRAME.exec(stack.replace(message, ''))?.[1] ?? filename
  return file.startsWith(`${SITE}/`) && new URL(file).pathname !== location.pathname
}

/**
 * Calls for each error of this page's own files that nothing caught. Browsers report a layout that took two rounds as an
 * error of the document, which is none.
 */
export function watchErrors(heard: (message: string) => void): () => void {
  const textOf = (error: unknown): string =>
    error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const onError = ({ message, error, filename }: ErrorEvent): void => {
    if (isOurs(error, filename)) heard(error === null ? message : textOf(error))
  }
  const onRejection = ({ reason }: PromiseRejectionEvent): void => {
    if (isOurs(reason)) heard(textOf(reason))
  }
  addEventListener('error', onError)
  addEventListener('unhandledrejection', onRejection)
  return () => {
    removeEventListener('error', onError)
    removeEventListener('unhandledrejection', onRejection)
  }
}

/** The file with which the page that is open began; its name holds a hash of all that belongs to it. */
export function ownBuild(): string | undefined {
  const script = document.querySelector('script[type="module"][src]')
  return script instanceof HTMLScriptElement ? script.src.slice(SITE.length) : undefined
}

const TIMEOUT_MS = 10_000

const ask = (url: string, method: 'GET' | 'HEAD'): Promise<Response> =>
  fetch(url, {
    method,
    cache: 'no-store',
    credentials: 'same-origin',
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })

/** The same of what the server delivers now, never from a cache; undefined where it does not say. */
export async function servedBuild(): Promise<string | undefined> {
  try {
    const response = await ask(`${SITE}/version.json`, 'GET')
    const json: unknown = response.ok ? await response.json() : undefined
    const build: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, 'build') : undefined
    return typeof build === 'string' ? build : undefined
  } catch {
    return undefined // away, or a host that answers with something else
  }
}

/** Whether loading the page again would bring a page, and not the browser's own error. */
export async function hostAnswers(): Promise<boolean> {
  try {
    const response = await ask(`${SITE}/index.html`, 'HEAD')
    return response.ok && response.headers.get('content-type')?.startsWith('text/html') === true
  } catch {
    return false
  }
}

/** A note that this tab takes over a reload. Null: there is none; undefined: this browser keeps none. */
export function readNote(key: string): string | null | undefined {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return undefined
  }
}

/** False where this browser keeps none. */
export function writeNote(key: string, text: string): boolean {
  try {
    sessionStorage.setItem(key, text)
    return true
  } catch {
    return false
  }
}

/** Fields in which somebody typed or chose something since the page began. */
const edited = new Set<Element>()

/** From now on `isAsking` knows of forms that somebody fills in. */
export const watchEdits = (): void =>
  document.addEventListener('input', ({ target }) => {
    for (const field of edited) if (!field.isConnected) edited.delete(field)
    if (target instanceof Element) edited.add(target)
  })

/** Somebody has a dialog open or fills in a form, which a reload would lose. Some forms stand in the address. */
export const isAsking = (): boolean =>
  document.querySelector('dialog[open]') !== null ||
  Array.from(edited).some(
    (field) =>
      field.isConnected &&
      field.closest('form:not([data-in-address])') !== null &&
      Reflect.get(field, 'value') !== '',
  )
