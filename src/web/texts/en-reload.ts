/** Words about a page that loads itself anew, and about versions. */
export const reloadTexts = {
  /** Why it was done, once it was. */
  done: {
    version: 'Page reloaded by itself: new version',
    memory: 'Page reloaded by itself: memory use was high',
    failure: 'Page reloaded by itself: it had failed to render',
  },
  newVersion: 'New version available',
  newVersionText:
    'The dashboard server delivers a newer version. This page reloads by itself at night if nobody uses it.',
  /** A reload would lose the key. */
  newVersionLocked:
    'The dashboard server delivers a newer version. This page does not reload by itself: the key would have to be unlocked or added again.',
  reload: 'Reload',
} as const
