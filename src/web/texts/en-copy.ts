export const copyTexts = {
  copyLabel: 'Copy',
  copiedText: 'Copied',
  failedText: 'Not copied: select and copy it manually',
} as const
