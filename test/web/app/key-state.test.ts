import { expect, it, onTestFinished, vi } from 'vitest'
import { createKeyState } from '#app/key-state.ts'
import type { EngineCalls } from '#engine/bridge.ts'
import { hearPages } from '#platform/page-words.ts'
import type { KeyInfo, SignerAdmin } from '#signer/api.ts'
import { A_KEY, A_REPORT, fakeDashboard } from '#test/support/fake-dashboard.tsx'

it('a tab locks its own signer, tells the other tabs, and follows when another tab locks', async () => {
  const [lock, said] = [vi.fn<() => Promise<void>>(async () => undefined), vi.fn<(word: string) => void>()]
  onTestFinished(hearPages(said))
  const { signer, engine } = fakeDashboard({
    signer: { keys: async () => [], report: async () => ({ ...A_REPORT, worker: 'dedicated' }), lock },
  })
  const state = createKeyState(signer, () => engine)
  await state.read()
  await state.lock()
  expect(lock).toHaveBeenCalledTimes(1)
  await vi.waitFor(() => expect(said).toHaveBeenCalledWith('lock'))
  await state.hearWord('lock')
  expect(lock).toHaveBeenCalledTimes(2)
})

it('a key change reaches engine and other tabs, and the journal once by its short public key', async () => {
  const said = vi.fn<(word: string) => void>()
  onTestFinished(hearPages(said))
  const keyChanged = vi.fn<EngineCalls['keyChanged']>(async () => undefined)
  const appendEvents = vi.fn<EngineCalls['appendEvents']>(async () => undefined)
  let keys: readonly KeyInfo[] = [A_KEY]
  const { signer, engine } = fakeDashboard({
    signer: { keys: async () => keys, report: async () => A_REPORT },
    engine: { keyChanged, appendEvents },
  })
  const state = createKeyState(signer, () => engine)
  const noted = () =>
    appendEvents.mock.calls
      .splice(0)
      .flatMap(([entries]) => entries.map(({ area, what, facts }) => [area, what, facts]))
  await state.read()
  await state.refresh()
  expect(noted()).toEqual([])
  const other = { ...A_KEY, publicKey: `01${A_KEY.publicKey.slice(2)}` }
  keys = [A_KEY, other]
  await state.refresh()
  await state.refresh()
  expect(noted()).toEqual([['settings', 'key-added', { key: '013c…91a2' }]])
  keys = [A_KEY]
  await state.hearWord('keys-changed')
  await state.refresh()
  expect(noted()).toEqual([])
  keys = []
  await state.refresh()
  expect(noted()).toEqual([['settings', 'key-removed', { key: '5f3c…91a2' }]])
  expect(keyChanged).toHaveBeenCalledTimes(5)
  await vi.waitFor(() => expect(said).toHaveBeenCalledWith('keys-changed'))
})

it('a failed signer counts as working again once it answers', async () => {
  const keys = vi.fn<SignerAdmin['keys']>(async () => []).mockRejectedValueOnce(new Error('slow'))
  const { signer, engine } = fakeDashboard({ signer: { keys, report: async () => A_REPORT } })
  const { read, store } = createKeyState(signer, () => engine)
  await read()
  expect(store.get().failed).toBe(true)
  await read()
  expect(store.get().failed).toBe(false)
})
