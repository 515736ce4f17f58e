import { copyText } from '#react/copy-text.ts'
import { copyTexts } from '#texts/en-copy.ts'

export const copying = { ...copyTexts, copy: copyText } as const
