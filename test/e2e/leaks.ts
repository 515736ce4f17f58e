import type { BrowserContext, Page } from 'playwright-core'
import { bytesToHex } from '#base/bytes.ts'

/** Records all console output, errors and requests of a browser context from now on. */
export function listen(context: BrowserContext): readonly string[] {
  const said: string[] = []
  context.on('console', (message) => said.push(message.text()))
  context.on('weberror', (error) => said.push(String(error.error())))
  context.on('request', (request) =>
    said.push(request.url(), JSON.stringify(request.headers()), request.postData() ?? ''),
  )
  return said
}

/** The given forms that occur in this output, or in anything that a script of the page can read. */
export async function leakedForms(
  page: Page,
  said: readonly string[],
  forms: readonly string[],
): Promise<readonly string[]> {
  const all = [...said, ...(await page.evaluate(readEverything))].join('\n')
  return forms.filter((form) => all.includes(form))
}

/** All forms in which a seed could be written. */
export const formsOf = (seed: Uint8Array): readonly string[] => {
  const hex = bytesToHex(seed)
  const base64 = Buffer.from(seed).toString('base64')
  return [
    hex,
    hex.toUpperCase(),
    base64.slice(0, 42),
    base64.slice(0, 42).replaceAll('+', '-').replaceAll('/', '_'),
    Array.from(seed).join(','),
    hex.slice(0, 32),
  ]
}

/** Plants a form in each place that the search covers, by the name of the place. */
export const LEAKS: Readonly<Record<string, (form: string) => unknown>> = {
  page: (form) => document.body.setAttribute('data-leak', form),
  field: (form) => {
    const field = document.createElement('input')
    document.body.append(field)
    field.value = form
  },
  title: (form) => void (document.title = form),
  address: (form) => void (location.hash = form),
  'history state': (form) => history.replaceState(form, ''),
  cookie: (form) => void (document.cookie = `leak=${form}`),
  'local storage': (form) => localStorage.setItem('leak', form),
  'session storage': (form) => sessionStorage.setItem('leak', form),
  database: (form) =>
    new Promise((done) => {
      const asked = indexedDB.open('leak')
      asked.addEventListener('upgradeneeded', () => {
        asked.result.createObjectStore('leaks', { autoIncrement: true }).add({ form })
      })
      asked.addEventListener('success', () => {
        asked.result.close()
        done(undefined)
      })
    }),
  'database, as bytes': (form) =>
    new Promise((done) => {
      const asked = indexedDB.open('leak of bytes')
      asked.addEventListener('upgradeneeded', () => {
        const bytes = Uint8Array.from(form.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
        asked.result.createObjectStore('leaks', { autoIncrement: true }).add({ deep: [{ bytes }] })
      })
      asked.addEventListener('success', () => {
        asked.result.close()
        done(undefined)
      })
    }),
  cache: async (form) => caches.open(form),
  // This runs in the page, so it is the page's console.
  console: (form) => globalThis.console.info(form),
  request: async (form) => fetch(`/?leak=${form}`),
  'request header': async (form) => fetch('/', { headers: { 'X-Leak': form } }),
  'request body': async (form) => fetch('/', { method: 'POST', body: form }),
}

/** Runs in the page: everything that a script there can read, as text. */
export async function readEverything(): Promise<readonly string[]> {
  const texts: string[] = [
    JSON.stringify(Object.entries(localStorage)),
    JSON.stringify(Object.entries(sessionStorage)),
    document.cookie,
    document.documentElement.outerHTML,
    Array.from(document.querySelectorAll<HTMLInputElement>('input, textarea'), ({ value }) => value).join(
      '\n',
    ),
    document.title,
    location.href,
    JSON.stringify(history.state),
    JSON.stringify(performance.getEntries()),
  ]
  const whenDone = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((done, reject) => {
      request.addEventListener('success', () => done(request.result))
      request.addEventListener('error', () => reject(request.error ?? new Error('no reason given')))
    })
  const written = (record: unknown): string =>
    JSON.stringify(record, (_name, value: unknown) =>
      value instanceof Uint8Array || value instanceof ArrayBuffer
        ? Array.from(new Uint8Array(value instanceof Uint8Array ? value : new Uint8Array(value))).join()
        : value,
    ) ?? ''
  for (const { name } of await indexedDB.databases()) {
    const database = await whenDone(indexedDB.open(name ?? ''))
    for (const store of database.objectStoreNames)
      for (const record of await whenDone(database.transaction(store).objectStore(store).getAll())) {
        texts.push(written(record))
        if (!(record?.key instanceof CryptoKey)) continue
        for (const format of ['jwk', 'pkcs8', 'raw'] as const)
          await crypto.subtle.exportKey(format, record.key).then(
            (exported) =>
              texts.push(
                JSON.stringify(
                  exported instanceof ArrayBuffer ? Array.from(new Uint8Array(exported)) : exported,
                ),
              ),
            () => undefined,
          )
      }
    database.close()
  }
  for (const name of await caches.keys()) texts.push(name)
  return texts
}
