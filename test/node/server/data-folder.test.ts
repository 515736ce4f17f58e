import { expect, it } from 'vitest'
import { dataFolder } from '#server/serve.ts'

it.each([
  ['linux', {}, '/home/op', '/home/op/.local/share/immune-node-dashboard'],
  ['linux', { XDG_DATA_HOME: '/data' }, '/home/op', '/data/immune-node-dashboard'],
  ['linux', { XDG_DATA_HOME: 'relative' }, '/home/op', '/home/op/.local/share/immune-node-dashboard'],
  [
    'darwin',
    { XDG_DATA_HOME: '/data' },
    '/Users/op',
    '/Users/op/Library/Application Support/immune-node-dashboard',
  ],
  [
    'win32',
    { APPDATA: 'C:\\Users\\op\\Roaming' },
    'C:\\Users\\op',
    'C:\\Users\\op\\Roaming\\immune-node-dashboard',
  ],
  ['win32', { APPDATA: '' }, 'C:\\Users\\op', 'C:\\Users\\op\\AppData\\Roaming\\immune-node-dashboard'],
] as const)('on %s with %o', (platform, env, home, folder) =>
  expect(dataFolder({ platform, env }, home)).toBe(folder),
)
