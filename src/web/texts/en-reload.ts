export const reloadTexts = {
  done: {
    version: 'Page reloaded automatically: server version changed',
    memory: 'Page reloaded automatically: memory use was high',
    failure: 'Page reloaded automatically: it had failed to render',
  },
  newVersion: 'Server version changed',
  newVersionText:
    'The dashboard server now has a different version. This page reloads automatically at night when idle, unless it would lose a token.',
  /** A reload would lose the key, so none happens automatically. */
  newVersionLocked:
    'The dashboard server now has a different version. This page does not reload automatically, because the key would have to be unlocked or added again.',
  reload: 'Reload',
} as const
