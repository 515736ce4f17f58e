import { posix, win32 } from 'node:path'

const NAME = 'immune-node-dashboard'

/** Where a program keeps its data for one user, by the conventions of each system. */
export function dataFolder(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string {
  if (platform === 'win32')
    return win32.join(nonEmpty(env['APPDATA']) ?? win32.join(home, 'AppData', 'Roaming'), NAME)
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', NAME)
  return posix.join(absolute(env['XDG_DATA_HOME']) ?? posix.join(home, '.local', 'share'), NAME)
}

const nonEmpty = (text: string | undefined) => (text === '' ? undefined : text)

/** The XDG specification has relative paths ignored. */
const absolute = (path: string | undefined) => (path?.startsWith('/') === true ? path : undefined)
