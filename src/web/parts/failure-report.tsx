import { toVisibleText } from '#base/visible-text.ts'
import { errorText, withoutKeys } from '#protocol/redact.ts'
import { boundaryTexts } from '#texts/en-boundary.ts'
import { VERSION } from '#texts/version.ts'
import { CopyLine } from '#ui/copy-line.tsx'
import { FailureNote } from '#ui/failure-note.tsx'
import { copying } from './copying.ts'

const MESSAGE_CHARS_MAX = 300
const STACK_CHARS_MAX = 4_000

function reportOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const lines = [
    `immune-node-dashboard ${VERSION}`,
    // The rest of the URL may name a node or contain a search.
    `page ${(/^#\/[a-z]*/.exec(location.hash) ?? ['#/'])[0]}`,
    navigator.userAgent,
    toVisibleText(errorText(error), MESSAGE_CHARS_MAX, 'as-written'),
    // Some browsers repeat the message, which may be long, in the stack's first line.
    ...withoutKeys(stack.replaceAll(`${location.origin}/`, ''))
      .slice(0, STACK_CHARS_MAX)
      .split('\n')
      .filter((line) => /:\d+:\d+\)?$/.test(line))
      .map((line) => toVisibleText(line.trim(), MESSAGE_CHARS_MAX, 'as-written')),
  ]
  return lines.join('\n')
}

type FailureReportProps = {
  readonly error: unknown
  readonly title: string
  readonly text: string
  readonly retryLabel: string
  readonly onRetry: () => void
}

export const FailureReport = ({ error, ...note }: FailureReportProps) => (
  <FailureNote
    {...note}
    detailsLabel={boundaryTexts.details}
    message={errorText(error)}
    report={<CopyLine label={boundaryTexts.report} text={reportOf(error)} {...copying} />}
  />
)
