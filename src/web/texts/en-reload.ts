/** Words about a page that loads itself anew, and about versions. */
export const reloadTexts = {
  /** Why it was done, once it was. */
  done: {
    version: 'Page reloaded automatically: new version',
    memory: 'Page reloaded automatically: memory use was high',
    failure: 'Page reloaded automatically: it had failed to render',
  },
  newVersion: 'New version available',
  newVersionText:
    'The dashboard server has a newer version. This page reloads automatically at night when idle.',
  /** A reload would lose the key. */
  newVersionLocked:
    'The dashboard server has a newer version. This page does not reload automatically, because the key would have to be unlocked or added again.',
  reload: 'Reload',
} as const
