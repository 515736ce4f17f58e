import { STORAGE_TEST_BYTES, type StorageTest } from '#storage/self-test.ts'
import { useState } from 'react'
import { useDashboard } from '#react/dashboard.ts'
import { keepsSettings } from '#react/platform.ts'
import { useAct } from '#react/reads.ts'
import { useConfiguration, useKeys } from '#react/use-fleet.ts'
import type { SignerTest } from '#signer/api.ts'
import { aboutTexts as words } from '#texts/en-about.ts'
import { formatClock } from '#texts/format-time.ts'
import { formatLatency } from '#texts/format.ts'
import { Button } from '#ui/button.tsx'
import { StepList, type ListedStep, type StepState } from '#ui/step-list.tsx'
import { Panel } from '#ui/panel.tsx'

export function SelfTests() {
  const tests = useSelfTests()
  const { report } = useKeys()
  const zone = useConfiguration().settings.display.timeZone
  const { started, isRunning, run } = tests
  const way = words.signings.ways[report?.cryptography ?? 'webcrypto']
  return (
    <Panel
      title={words.tests}
      note={started && !isRunning && words.testedAt(formatClock(started.wallMs, zone))}
      actions={
        <Button size="small" busy={isRunning} onClick={run}>
          {isRunning ? words.testing : started === undefined ? words.testNow : words.testAgain}
        </Button>
      }
      flush
    >
      <div className="panel-body">
        <p className="text-12 ink-3">{words.testsText}</p>
      </div>
      <StepList label={words.steps} steps={stepsOf(tests, way)} />
    </Panel>
  )
}

/** A test's result; `silent`: that part of the page did not answer. */
type Outcome<T> = T | 'silent' | undefined

function useSelfTests() {
  const { signer, engine, fleet, nowMs } = useDashboard()
  const [started, setStarted] = useState<{ readonly wallMs: number; readonly keepsSettings: boolean }>()
  const signing = useAct({ mutationFn: async () => signer.selfTest() })
  const storing = useAct({ mutationFn: async () => engine.testStorage() })
  const outcomeOf = <T,>({ data, isError }: { data: T | undefined; isError: boolean }): Outcome<T> =>
    isError ? 'silent' : data
  return {
    started,
    isRunning: signing.isPending || storing.isPending,
    signer: outcomeOf(signing),
    storage: outcomeOf(storing),
    run: (): void => {
      const at = fleet.get()
      setStarted({ wallMs: at.wallMs + (nowMs() - at.nowMs), keepsSettings: keepsSettings() })
      signing.mutate()
      storing.mutate()
    },
  }
}

type Found = { readonly state: StepState; readonly note?: string; readonly took?: string }

function stepsOf(tests: ReturnType<typeof useSelfTests>, way: string): readonly ListedStep[] {
  const open: Found = { state: tests.isRunning ? 'running' : 'waiting' }
  const bySigner = (read: (test: SignerTest) => Found): Found =>
    from(tests.signer, read, open, words.signerSilent)
  const took = (test: SignerTest): string => formatLatency(test.tookMs)
  const found: readonly (readonly [id: string, title: string, found: Found])[] = [
    [
      'network',
      words.network,
      bySigner((test) => ({
        state: test.network === 'blocked' ? 'ok' : 'failed',
        note: words.networks[test.network],
        took: took(test),
      })),
    ],
    [
      'signing',
      words.signing,
      bySigner(({ signing }) =>
        signing === 'right'
          ? { state: 'ok', note: words.signings.right(way) }
          : { state: 'failed', note: words.signings.wrong },
      ),
    ],
    [
      'key-storage',
      words.keyStorage,
      bySigner(({ storage }) => ({ state: KEY_STORAGE[storage], note: words.keyStorages[storage] })),
    ],
    ['storage', words.storage, from(tests.storage, storageFound, open, words.engineSilent)],
    ['settings', words.settings, settingsFound(tests.started?.keepsSettings, open)],
  ]
  return found.map(([id, title, step]) => ({ id, title, stateLabel: words.states[step.state], ...step }))
}

const KEY_STORAGE = { works: 'ok', fails: 'failed', none: 'warned' } as const

const from = <T extends object>(
  outcome: Outcome<T>,
  read: (test: T) => Found,
  open: Found,
  silent: string,
): Found => {
  if (outcome === undefined) return open
  return outcome === 'silent' ? { state: 'failed', note: silent } : read(outcome)
}

function storageFound({ failed, tookMs }: StorageTest): Found {
  const took = formatLatency(tookMs)
  if (failed === undefined) return { state: 'ok', note: words.storageWorks(STORAGE_TEST_BYTES), took }
  return {
    state: 'failed',
    note: `${words.storageSteps[failed.step]} ${words.storageWhy[failed.why]}`,
    took,
  }
}

function settingsFound(keeps: boolean | undefined, open: Found): Found {
  if (keeps === undefined) return open
  return keeps ? { state: 'ok', note: words.settingsWorks } : { state: 'failed', note: words.settingsFails }
}
