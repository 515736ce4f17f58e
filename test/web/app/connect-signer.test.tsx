import * as Comlink from 'comlink'
import { expect, it, onTestFinished, vi } from 'vitest'
import { connectSigner } from '#app/connect-signer.ts'
import { A_REPORT } from '#test/support/fake-dashboard.tsx'
import { aService } from '#test/support/fleet-fixture.ts'

/** A page and its signers, each behind a real message channel. */
function setUp() {
  const deaths: (() => void)[] = []
  const request = async (_name: string, _how: object, died: () => void) => deaths.push(died)
  vi.stubGlobal('navigator', { locks: { request } })
  const signers: { services?: unknown; isLeft: boolean; readonly fail: () => void }[] = []
  const connect = (_url: string, _name: string, fail: () => void) => {
    const { port1, port2 } = new MessageChannel()
    onTestFinished(() => port2.close())
    const own: (typeof signers)[number] = { isLeft: false, fail }
    const report = () => ({ ...A_REPORT, life: 'signer' })
    const configure = (services: unknown) => void (own.services = services)
    Comlink.expose({ report, configure, openEnginePort: () => Promise.reject(new Error('hung')) }, port2)
    signers.push(own)
    return { port: port1, end: () => (own.isLeft = true) }
  }
  const restarted = vi.fn<() => void>()
  const signer = connectSigner({ isShared: false, connect }, 'signer.js', restarted)
  const openPort = () => signer.openEnginePort(new MessageChannel().port1).catch(() => undefined)
  return { signer, signers, restarted, openPort, die: () => deaths[0]?.() }
}

it('the page replaces a dead signer once, configures the new one, and announces the restart', async () => {
  const { signer, signers, restarted, die } = setUp()
  await signer.configure([aService()])
  await signer.report()
  // An error in a running signer must not replace it.
  signers[0]?.fail()
  await signer.report()
  die()
  await vi.waitFor(() => expect(signers[1]?.services).toEqual([aService()]))
  expect([signers.length, signers[0]?.isLeft, restarted.mock.calls.length]).toEqual([2, true, 1])
})

it('the page replaces an unresponsive signer only once, and only if it had answered before', async () => {
  const { signer, signers, openPort } = setUp()
  await openPort()
  expect(signers).toHaveLength(1)
  await signer.report()
  await Promise.all([openPort(), openPort()])
  expect(signers).toHaveLength(2)
})
