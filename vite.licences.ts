import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { SHIPPED_PACKAGES } from './src/web/texts/shipped-packages.ts'

const FILE_NAME = 'licences.txt'

const RULE = `\n${'-'.repeat(72)}\n\n`

const LICENCE_FILE = /^(licen[cs]e|copying)(\.(md|txt))?$/i

/** The text that a package came with. A few come without one, and say in their manifest only which it is. */
function licenceText(name: string, licence: string): string {
  const folder = join(import.meta.dirname, 'node_modules', name)
  const file = readdirSync(folder).find((each) => LICENCE_FILE.test(each))
  if (file === undefined) return `The package names its licence, ${licence}, and comes without its text.`
  // The tables and icons of some packages have licences of their own, which stand in the same file.
  return readFileSync(join(folder, file), 'utf8').trim()
}

/** This product's licence, then that of each package that may be part of what a browser loads. */
function licences(): string {
  const own = readFileSync(join(import.meta.dirname, 'LICENSE'), 'utf8').trim()
  const parts = SHIPPED_PACKAGES.map(
    ([name, version, licence]) => `${name} ${version} (${licence})\n\n${licenceText(name, licence)}\n`,
  )
  return [`This product\n\n${own}\n`, ...parts].join(RULE)
}

/** Offers all licence texts as a file beside the page, which their licences ask of whoever passes the packages on. */
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
