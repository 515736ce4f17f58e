import { useEffect, useEffectEvent, useState } from 'react'
import { nodeKeyOf } from '#fleet/live.ts'
import { serviceIdOf } from '#record/service.ts'
import { credentialOf } from '#signing/profile-needs.ts'
import type { Service, WatchedNode } from '#settings/schema.ts'
import type { KeyInfo } from '#signer/api.ts'
import { askToPersist } from '#react/platform.ts'
import { useDashboard } from '#react/dashboard.ts'
import { nodePath } from '#react/routes.ts'
import { useAllowed } from '#react/use-allowed.ts'
import { keyFor, useConsent, type UseConsent } from '#react/use-consent.ts'
import { useConfiguration, useKeys } from '#react/use-fleet.ts'
import { useKeyIntake } from '#react/use-key-intake.ts'
import { useConnectionTest } from '#react/use-connection-test.ts'
import { firstRunTexts } from '#texts/en-first-run.ts'
import {
  addedServicesOf,
  givenBy,
  initialDraft,
  nodesOf,
  othersForKey,
  serviceOf,
  settingsWith,
  usesDemoNodes,
  type Draft,
} from './draft.ts'

/** Why "Start watching" failed. The connection test explains `allow`. */
type Blocked = 'address' | 'key' | 'key-service' | 'nodes' | 'make-failed' | 'allow'

function useAnswers() {
  const configuration = useConfiguration()
  const { keys } = useKeys()
  const [draft, setDraft] = useState<Draft>(() => initialDraft(configuration, keys.length > 0))
  const keyIntake = useKeyIntake()
  const isDemo = usesDemoNodes(draft, configuration)
  const { intake } = keyIntake
  const origin = draft.key === 'make' ? 'made' : 'brought'
  const taken = intake.phase === 'ready' && intake.origin === origin ? intake.key : undefined
  const service = serviceOf(draft, configuration, location.origin)
  const isKnown = (url: string): boolean =>
    [...(service.ok ? [service.value] : []), ...configuration.effective.services].some(
      ({ baseUrl }) => baseUrl === url,
    )
  const added = addedServicesOf(draft, configuration).filter(({ baseUrl }) => !isKnown(baseUrl))
  const others = [...othersForKey(configuration), ...added]
  const nodesText = isDemo ? draft.demoNodes : draft.ownNodes
  const listServicesOf = (first: Service): readonly [Service, ...Service[]] => [
    first,
    ...[...configuration.effective.services, ...added].filter(({ baseUrl }) => baseUrl !== first.baseUrl),
  ]
  return {
    draft,
    setDraft,
    given: givenBy(configuration),
    service,
    /** The credential that the service requires; this page asks only for a key. */
    credential: service.ok ? credentialOf(service.value) : 'key',
    /** Demo nodes and texts follow the demo's service, whether chosen or configured. */
    isDemo,
    nodesText,
    /** Services that the node list may name; the default one first. */
    listServices: service.ok ? listServicesOf(service.value) : undefined,
    nodesAt: (first: Service) => nodesOf(nodesText, listServicesOf(first)),
    added,
    keyIntake,
    others,
    keyServices: [
      ...(service.ok ? [service.value] : []),
      ...others.filter(({ baseUrl }) => !draft.withoutKey.includes(baseUrl)),
    ],
    hasKey: draft.key === 'existing' || taken !== undefined,
    key: draft.key === 'existing' ? keys.at(-1) : taken,
  }
}

export function useFirstRun(onDone: (path?: string) => void) {
  const answers = useAnswers()
  const { setDraft, service, nodesAt, hasKey, isDemo, credential } = answers
  const [blocked, setBlocked] = useState<Blocked>()
  const [blockedCount, setBlockedCount] = useState(0)
  const asking = useConsent()
  const [starting, setStarting] = useState(false)
  const connection = useConnectionTest()
  const { allowProblem, allow, forget } = useAllowed()
  const begin = useBegin(answers, { allow, consent: asking.consent }, onDone)

  const change = (part: Partial<Draft>): void => {
    const isOther = part.service !== undefined || part.address !== undefined || part.via !== undefined
    setDraft((now) => ({ ...now, ...(isOther && { profile: undefined }), ...part }))
    setBlocked(undefined)
    if (!isOther) return
    connection.clear()
    forget()
  }

  /** Tests the connection; with a key that may be used, the test includes signature and nodes. */
  const test = async (key: KeyInfo | undefined, tested = service): Promise<void> => {
    if (!tested.ok) return
    const mayUse = key !== undefined && keyFor({ ...tested.value, key: key.publicKey }, [key]) !== undefined
    const listed = nodesAt(tested.value)
    const nodes = listed.ok ? listed.value.filter((node) => node.service === tested.value.baseUrl) : []
    const sign = credentialOf(tested.value) !== 'key' || mayUse
    await connection.start({ service: tested.value, nodes, sign }, async () => allow(tested.value))
  }

  /** Run by the operator: asks for consent if the key is not yet allowed for this service. */
  const testSigned = async (): Promise<void> => {
    const { key } = answers
    if (credential !== 'key') return test(undefined)
    const isAllowed = key !== undefined && service.ok && (await asking.consent(key, service.value))
    await test(isAllowed ? { ...key, grants: grantsOf(service.value, key) } : key)
  }

  const startWatching = async (): Promise<void> => {
    setStarting(true)
    // Browsers grant persistent storage only after a click. The settings show the result.
    void askToPersist()
    setBlocked(await begin())
    setBlockedCount((count) => count + 1)
    setStarting(false)
  }

  // A configured or demo service is tested at once, so that the page shows immediately whether it works.
  const isOffered = isDemo || answers.given.service !== undefined
  const tryOffered = useEffectEvent(() => {
    void test(answers.key)
  })
  useEffect(() => {
    if (isOffered) tryOffered()
  }, [isOffered])

  const listed = service.ok ? nodesAt(service.value) : undefined
  const firstNode =
    listed?.ok === true && service.ok
      ? listed.value.find((node) => node.service === service.value.baseUrl)
      : undefined
  return {
    ...answers,
    firstNodeName: firstNode?.name,
    firstNodeId: firstNode?.id,
    change,
    changeNodes: (text: string) => change(isDemo ? { demoNodes: text } : { ownNodes: text }),
    addService: (baseUrl: string) => change({ addedServices: [...answers.draft.addedServices, baseUrl] }),
    connectionTest: connection.connectionTest,
    test,
    testSigned,
    asking,
    allowProblem,
    // Getting a key resolves this block.
    blocked: blocked === 'key' && hasKey ? undefined : blocked,
    blockedCount,
    starting,
    startWatching,
  }
}

/** The key's grants including this service; the list of keys is reloaded in the background. */
const grantsOf = (service: Service, { grants = [] }: KeyInfo): NonNullable<KeyInfo['grants']> => [
  ...grants,
  { serviceId: serviceIdOf(service.baseUrl), profiles: [] },
]

export type FirstRun = ReturnType<typeof useFirstRun>

/** Saves the answers and starts polling. Resolves to the obstacle, if any. */
function useBegin(
  answers: ReturnType<typeof useAnswers>,
  { allow, consent }: Pick<ReturnType<typeof useAllowed>, 'allow'> & Pick<UseConsent, 'consent'>,
  onDone: (path?: string) => void,
) {
  const { draft, given, service, credential, keyIntake, hasKey, key, keyServices, others, added } = answers
  const { configuration, saveSettings, refreshKeys, signer } = useDashboard()

  /** A key created before the services were chosen needs consent for each of them. */
  const isKeyForServices = async (): Promise<boolean> => {
    const [first, ...more] = keyServices
    if (first === undefined || !(await consent(key, first))) return false
    const isForAll = await more.reduce(
      async (isSoFar, other) => (await isSoFar) && consent(key, other, true),
      Promise.resolve(true),
    )
    if (!isForAll || draft.key === 'existing' || key === undefined) return isForAll
    const unticked = others.filter(({ baseUrl }) => draft.withoutKey.includes(baseUrl))
    // A failing signer signs for no service, so errors are ignored.
    await Promise.allSettled(
      unticked.map(async ({ baseUrl }) => signer.stopSigning(key.publicKey, serviceIdOf(baseUrl))),
    )
    return true
  }

  const needKey = async (): Promise<'key' | 'key-service' | 'make-failed' | undefined> => {
    if (credential !== 'key') return undefined
    // The newest key signs, so a key that was only tried out must be removed.
    if (draft.key === 'existing') await keyIntake.undo()
    if (hasKey) return (await isKeyForServices()) ? undefined : 'key-service'
    if (draft.key === 'bring') return 'key'
    const made = await keyIntake.make(firstRunTexts.key.madeLabel, undefined, keyServices)
    return made.phase === 'ready' ? undefined : 'make-failed'
  }

  return async (): Promise<Blocked | undefined> => {
    if (!service.ok) return 'address'
    const isAsked = given.nodeCount === 0
    const listed = answers.nodesAt(service.value)
    if (isAsked && !listed.ok) return 'nodes'
    for (const each of [service.value, ...added]) if (!(await allow(each))) return 'allow'
    const keyProblem = await needKey()
    if (keyProblem !== undefined) return keyProblem
    const { settings, effective } = configuration.get()
    // A copy here would hide later changes of the configuration.
    const isFixed = given.service !== undefined && draft.profile === undefined
    const nodes: readonly WatchedNode[] = isAsked && listed.ok ? listed.value : effective.nodes
    if (isAsked || draft.profile !== undefined)
      saveSettings(settingsWith(settings, isFixed ? added : [service.value, ...added], isAsked ? nodes : []))
    const first = nodes[0]
    // Navigate first: once key and nodes exist, this page is replaced by the page of the URL.
    onDone(first && nodePath(nodeKeyOf(serviceIdOf(first.service ?? service.value.baseUrl), first.id)))
    await refreshKeys()
    return undefined
  }
}
