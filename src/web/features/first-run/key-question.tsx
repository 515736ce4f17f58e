import type { KeyInfo } from '#signer/api.ts'
import { BringKey } from '#parts/bring-key.tsx'
import { ShortKey, ShownKey } from '#parts/shown-key.tsx'
import { useKeys } from '#react/use-fleet.ts'
import { firstRunTexts, formTexts } from '#texts/en-first-run.ts'
import { Button } from '#ui/button.tsx'
import { Step } from '#ui/first-run.tsx'
import { Flow } from '#ui/page.tsx'
import { RadioCards, type RadioCard } from '#ui/radio-cards.tsx'
import type { Draft } from './draft.ts'
import type { FirstRun } from './use-first-run.ts'

const words = firstRunTexts.key

export function KeyQuestion({ run }: { readonly run: FirstRun }) {
  const { keys } = useKeys()
  const newest = keys.at(-1)
  const { draft, change, hasKey, isDemo, keyIntake } = run
  const { intake } = keyIntake
  const made = intake.phase === 'ready' && intake.origin === 'made' ? intake.key : undefined
  const cards: readonly (RadioCard<Draft['key']> | undefined)[] = [
    newest && {
      value: 'existing',
      title: words.existing,
      aside: <ShortKey publicKey={newest.publicKey} />,
      text: words.existingText,
    },
    {
      value: 'make',
      title: isDemo ? words.makeDemo : words.make,
      text: isDemo ? words.makeDemoText : words.makeText,
      ...(made && { aside: <ShortKey publicKey={made.publicKey} /> }),
      ...(!isDemo && draft.key === 'make' && { children: <MakeNow run={run} made={made} /> }),
    },
    {
      value: 'bring',
      title: words.bring,
      text: words.bringText,
      ...(draft.key === 'bring' && {
        children: <BringKey keyIntake={keyIntake} onReady={async () => run.test(true)} />,
      }),
    },
  ]
  return (
    <Step number={2} title={words.title} {...(hasKey && { doneLabel: firstRunTexts.answered })}>
      <RadioCards
        legend={words.legend}
        value={draft.key}
        onChange={(key) => change({ key })}
        cards={cards.filter((card) => card !== undefined)}
      />
    </Step>
  )
}

function MakeNow({ run, made }: { readonly run: FirstRun; readonly made: KeyInfo | undefined }) {
  const { intake, make } = run.keyIntake
  if (made !== undefined) return <ShownKey publicKey={made.publicKey} title={formTexts.key.made} />
  const makeAndTest = async (): Promise<void> => {
    const outcome = await make(words.madeLabel)
    if (outcome.phase === 'ready') await run.test(true)
  }
  return (
    <Flow>
      <Button size="small" busy={intake.phase === 'busy'} onClick={() => void makeAndTest()}>
        {words.makeNow}
      </Button>
      <span className="t12 ink3">{words.makeNowHint}</span>
    </Flow>
  )
}
