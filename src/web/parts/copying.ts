import { copyText } from '#react/copy-text.ts'
import { formTexts } from '#texts/en-first-run.ts'

/** What every line that can be copied says and does. */
export const copying = {
  copyLabel: formTexts.copy,
  copiedText: formTexts.copied,
  failedText: formTexts.copyFailed,
  copy: copyText,
} as const
