import { spawn } from 'node:child_process'

export type Program = { readonly file: string; readonly args: readonly string[] }

/** How each system opens an address. None of these is a shell, so nothing in the address is carried out. */
export function browserOpener(platform: NodeJS.Platform, url: string): Program {
  if (platform === 'darwin') return { file: 'open', args: [url] }
  if (platform === 'win32') return { file: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', url] }
  return { file: 'xdg-open', args: [url] }
}

/** Opens the address in the person's browser. Calls `onFailure` when there is no program for it. */
export function openBrowser(url: string, onFailure: () => void) {
  const { file, args } = browserOpener(process.platform, url)
  const child = spawn(file, args, { detached: true, stdio: 'ignore' })
  child.once('error', onFailure)
  child.once('exit', (code) => {
    if (code !== 0) onFailure()
  })
  child.unref()
}
