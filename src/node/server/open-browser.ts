import { spawn } from 'node:child_process'

type Program = { readonly file: string; readonly args: readonly string[] }

/** How each system opens an address. None of these is a shell, so nothing in the address is carried out. */
export function browserOpener(platform: NodeJS.Platform, url: string): Program {
  if (platform === 'darwin') return { file: 'open', args: [url] }
  if (platform === 'win32') return { file: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', url] }
  return { file: 'xdg-open', args: [url] }
}

/** What a browser needs of the environment; the rest of it may be secrets, such as a key for --sign-key env:NAME. */
const BROWSER_ENV =
  'PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_ALL TZ TMPDIR BROWSER DISPLAY WAYLAND_DISPLAY XAUTHORITY DESKTOP_SESSION KDE_FULL_SESSION KDE_SESSION_VERSION DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR XDG_SESSION_TYPE XDG_CURRENT_DESKTOP XDG_DATA_DIRS XDG_CONFIG_DIRS XDG_DATA_HOME XDG_CONFIG_HOME WSL_DISTRO_NAME WSL_INTEROP SystemRoot SystemDrive windir ComSpec PATHEXT USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA ProgramFiles TEMP TMP'.split(
    ' ',
  )

export const browserEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      // Windows writes some of them in other cases.
      value !== undefined && BROWSER_ENV.some((known) => known.toLowerCase() === name.toLowerCase())
        ? [[name, value]]
        : [],
    ),
  )

export function openBrowser(url: string, onFailure: () => void) {
  const { file, args } = browserOpener(process.platform, url)
  const env = browserEnvironment(process.env)
  const child = spawn(file, args, { detached: true, stdio: 'ignore', env })
  child.once('error', onFailure)
  child.once('exit', (code) => {
    if (code !== 0) onFailure()
  })
  child.unref()
}
