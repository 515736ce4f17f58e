export const copyTexts = {
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Not copied: select and copy it manually',
} as const
