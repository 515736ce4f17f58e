import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { SHIPPED_PACKAGES } from './src/web/texts/shipped-packages.ts'

const FILE_NAME = 'licences.txt'

const RULE = `\n${'-'.repeat(72)}\n\n`

const LICENCE_FILE = /^(licen[cs]e|copying)(\.(md|txt))?$/i

/** The licence text in a package. A few packages contain none, and name the licence only in their manifest. */
function licenceText(name: string, licence: string): string {
  const folder = join(import.meta.dirname, 'node_modules', name)
  const file = readdirSync(folder).find((each) => LICENCE_FILE.test(each))
  if (file === undefined) return `The package names its licence (${licence}) but does not contain the text.`
  // The same file also contains separate licences of some packages' tables and icons.
  return readFileSync(join(folder, file), 'utf8').trim()
}

/** This product's licence, then that of each package that a browser may load. */
function licences(): string {
  const own = readFileSync(join(import.meta.dirname, 'LICENSE'), 'utf8').trim()
  const parts = SHIPPED_PACKAGES.map(
    ([name, version, licence]) => `${name} ${version} (${licence})\n\n${licenceText(name, licence)}\n`,
  )
  return [`This product\n\n${own}\n`, ...parts].join(RULE)
}

/**
 * Serves all licence texts as a file next to the page, as the licences require from those who distribute the packages.
 */
export function licencesBeside(): Plugin {
  return {
    name: 'licences-beside',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: FILE_NAME, source: licences() })
    },
    configureServer: ({ middlewares }) => {
      middlewares.use(`/${FILE_NAME}`, (_request, response) => {
        response.setHeader('Content-Type', 'text/plain; charset=utf-8')
        response.end(licences())
      })
    },
  }
}
