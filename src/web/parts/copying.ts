import { copyText } from '#react/copy-text.ts'
import { copyTexts } from '#texts/en-copy.ts'

export const copying = {
  copyLabel: copyTexts.copy,
  copiedText: copyTexts.copied,
  failedText: copyTexts.copyFailed,
  copy: copyText,
} as const
