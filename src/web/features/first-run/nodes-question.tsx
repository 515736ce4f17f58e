import { NodesField } from '#parts/nodes-field.tsx'
import { firstRunTexts } from '#texts/en-first-run.ts'
import { Step } from '#ui/first-run.tsx'
import type { FirstRun } from './use-first-run.ts'

const words = firstRunTexts.nodes

export function NodesQuestion({ run }: { readonly run: FirstRun }) {
  const { given, nodesText, changeNodes } = run
  if (given.nodeCount > 0)
    return (
      <Step number={3} title={words.title} doneLabel={firstRunTexts.answered}>
        <p>{words.given(given.nodeCount)}</p>
      </Step>
    )
  return (
    <Step number={3} title={words.title}>
      <NodesField
        label={words.label}
        hideLabel
        rows={3}
        text={nodesText}
        onChange={changeNodes}
        onFileText={changeNodes}
        hint={words.hint}
      />
    </Step>
  )
}
