import { ConnectionTest, contextOf } from '#parts/connection-test.tsx'
import type { Service } from '#settings/settings.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { useConnectionTest } from '#react/use-connection-test.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { SavedNote } from '#features/settings/save.tsx'
import { nameOfService, useKeyOfService } from '#features/settings/use-key-of-service.ts'

type KeySwitchProps = {
  readonly service: Service
  /** The key that is to sign for it from now on. */
  readonly publicKey: string
  readonly onSwitched: () => void
}

const words = keyTexts.replace

/** Tests whether a service takes another key, while it goes on being asked with its own; then switches. */
export function KeySwitch({ service, publicKey, onSwitched }: KeySwitchProps) {
  const { effective } = useConfiguration()
  const { connectionTest, start } = useConnectionTest()
  const { saved, nameKey } = useKeyOfService()
  const draft = { ...service, key: publicKey }
  const isDone = service.key === publicKey
  const isTaken = connectionTest.steps.some(({ name, state }) => name === 'signature' && state === 'ok')
  const test = (): void => {
    void start({
      service: draft,
      nodes: effective.nodes.filter((node) => node.service === service.baseUrl),
      sign: true,
    })
  }
  const name = nameOfService(service)
  return (
    <>
      <p>{words.test(name)}</p>
      <ConnectionTest connectionTest={connectionTest} context={contextOf(draft)} onTest={test} />
      <Flow>
        <Button
          look="primary"
          disabled={!isTaken || isDone}
          onClick={() => {
            if (nameKey(publicKey, [service])) onSwitched()
          }}
        >
          {words.switch(name)}
        </Button>
        <span className="t12 ink3">{isDone ? words.switched : isTaken ? words.taken : words.notYet}</span>
      </Flow>
      <SavedNote saved={saved} />
    </>
  )
}
