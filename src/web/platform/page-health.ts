import { ownMember } from '#base/own-member.ts'
import { askServer } from './ask-server.ts'
import { SITE } from './site.ts'

const MB = 1_000_000
/** Memory is too high beyond this share of the browser's limit, or beyond the absolute bound, which no page here needs. */
const HIGH_SHARE = 0.6
const HIGH_BYTES = 1_000 * MB

type HeapFigures = { readonly usedJSHeapSize: number; readonly jsHeapSizeLimit: number }

const isFigures = (value: unknown): value is HeapFigures =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'usedJSHeapSize') === 'number' &&
  typeof Reflect.get(value, 'jsHeapSizeLimit') === 'number'

/** Memory use in megabytes if it is too high; undefined if the browser does not report it, as in Firefox and Safari. */
export function memoryTooHighMb(): number | false | undefined {
  const figures: unknown = Reflect.get(performance, 'memory')
  if (!isFigures(figures)) return undefined
  const { usedJSHeapSize, jsHeapSizeLimit } = figures
  const isHigh = usedJSHeapSize > Math.min(HIGH_SHARE * jsHeapSizeLimit, HIGH_BYTES)
  return isHigh && Math.round(usedJSHeapSize / MB)
}

/**
 * Matches the URL of a stack's first frame: "at f (https://host/file.js:1:2)" in Chromium, "f@https://host/file.js:1:2"
 * elsewhere.
 */
const FIRST_FRAME = /(?:^|[\s(@])([^\s()@]+):\d+:\d+\)?$/m

/** Filters out errors of browser extensions, which run in every page and are reported here too. */
function isOurs(error: unknown, filename = ''): boolean {
  const { stack = '', message = '' } = error instanceof Error ? error : {}
  const file = FIRST_FRAME.exec(stack.replace(message, ''))?.[1] ?? filename
  return file.startsWith(`${SITE}/`) && new URL(file).pathname !== location.pathname
}

/**
 * Calls `heard` for each uncaught error of this page's own files. Ignores the `ResizeObserver` loop error, which browsers
 * report for the document and which is harmless.
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

/** Path of the script that started this page; its name contains a hash of the whole build. */
export function ownBuild(): string | undefined {
  const script = document.querySelector('script[type="module"][src]')
  return script instanceof HTMLScriptElement ? script.src.slice(SITE.length) : undefined
}

/** The build that the server currently delivers; undefined if unknown. */
export async function servedBuild(): Promise<string | undefined> {
  try {
    const response = await askServer('/version.json')
    const json: unknown = response.ok ? await response.json() : undefined
    const build = ownMember(json, 'build')
    return typeof build === 'string' ? build : undefined
  } catch {
    return undefined // The server is unreachable, or the host answers with something else.
  }
}

/** Whether a reload would load the page, not the browser's error page. */
export async function hostAnswers(): Promise<boolean> {
  try {
    const response = await askServer('/index.html', { method: 'HEAD' })
    return response.ok && response.headers.get('content-type')?.startsWith('text/html') === true
  } catch {
    return false
  }
}

/** Fields edited since the page was loaded. */
const edited = new Set<Element>()

/** Starts tracking edits for `isAsking`. */
export const watchEdits = (): void =>
  document.addEventListener('input', ({ target }) => {
    for (const field of edited) if (!field.isConnected) edited.delete(field)
    if (target instanceof Element) edited.add(target)
  })

/** Whether a dialog is open or a form has edits, which a reload would lose. Some forms are part of the URL. */
export const isAsking = (): boolean =>
  document.querySelector('dialog[open]') !== null ||
  Array.from(edited).some(
    (field) =>
      field.isConnected &&
      field.closest('form:not([data-in-address])') !== null &&
      Reflect.get(field, 'value') !== '',
  )
