import type { AllowProblem } from '#react/dashboard.ts'
import type { Service } from '#settings/schema.ts'
import { formTexts } from '#texts/en-first-run.ts'
import { Banner } from '#ui/banner.tsx'
import { CopyLine } from '#ui/copy-line.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { copying } from './copying.ts'

type AllowNoteProps = { readonly problem: AllowProblem; readonly service: Service }

export const AllowNote = ({ problem, service }: AllowNoteProps) => (
  <>
    <Banner level="warning" title={formTexts.allow[problem.kind === 'no-answer' ? 'noAnswerTitle' : 'title']}>
      {formTexts.allow[problem.kind]}
      {problem.answer !== undefined && (
        <>
          {' '}
          {formTexts.allow.answer} “<VisibleText text={problem.answer} charsMax={120} />”
        </>
      )}
    </Banner>
    {problem.kind === 'not-allowed' && (
      <CopyLine
        label={formTexts.allow.fileLabel}
        text={JSON.stringify({ baseUrl: service.baseUrl })}
        {...copying}
      />
    )}
  </>
)
